import { describe, expect, test } from 'vitest';
import { isWorthCollecting } from './collect-at-rest.js';

const mebibytes = 1024 * 1024;

describe('garbage is collected', () => {
  test.each([
    { name: 'at rest after much work', utilization: 0.01, used: 200, usedAfterLast: 100, collects: true },
    { name: 'not at work', utilization: 0.5, used: 200, usedAfterLast: 100, collects: false },
    { name: 'not for little', utilization: 0.01, used: 110, usedAfterLast: 100, collects: false },
    { name: 'for less after a while', utilization: 0.01, used: 120, usedAfterLast: 100, collects: true },
    { name: 'then not soon at rest', utilization: 0.01, used: 120, usedAfterLast: 100, seconds: 9, collects: false },
    { name: 'at rest after work', utilization: 0.01, used: 90, usedAfterLast: 100, wasAtWork: true, collects: true },
    { name: 'at rest with room that work left', utilization: 0.01, used: 120, spare: 45, seconds: 9, collects: true },
    {
      name: 'not for room that a collection left',
      utilization: 0.01,
      used: 105,
      spare: 45,
      spareAfterLast: 40,
      collects: false,
    },
    { name: 'not for a small part', utilization: 0.01, used: 520, usedAfterLast: 500, collects: false },
    { name: 'not again at once', utilization: 0.01, used: 100, usedAfterLast: 100, collects: false },
    { name: 'at work with room to spare', utilization: 0.5, used: 200, usedAfterLast: 200, spare: 90, collects: true },
    {
      name: 'sooner if it is small',
      utilization: 0.5,
      used: 120,
      usedAfterLast: 90,
      spare: 60,
      seconds: 20,
      collects: true,
    },
    {
      name: 'not if it is large',
      utilization: 0.5,
      used: 300,
      usedAfterLast: 90,
      spare: 60,
      seconds: 20,
      collects: false,
    },
    { name: 'while little is done', utilization: 0.25, used: 400, usedAfterLast: 300, collects: true },
    { name: 'then not for little', utilization: 0.25, used: 350, usedAfterLast: 300, collects: false },
    { name: 'then not soon', utilization: 0.25, used: 400, usedAfterLast: 300, seconds: 9, collects: false },
    {
      name: 'at work now and then',
      utilization: 0.5,
      used: 200,
      usedAfterLast: 200,
      spare: 90,
      seconds: 9,
      collects: false,
    },
  ])(
    '$name',
    ({
      utilization,
      used,
      usedAfterLast = 100,
      collects,
      spare = 0,
      spareAfterLast = 0,
      seconds = 60,
      wasAtWork = false,
    }) => {
      const state = {
        utilization,
        used: used * mebibytes,
        usedAfterLast: usedAfterLast * mebibytes,
        spare: spare * mebibytes,
        spareAfterLast: spareAfterLast * mebibytes,
        sinceLastMs: seconds * 1000,
        wasAtWork,
      };
      expect(isWorthCollecting(state)).toBe(collects);
    },
  );
});
