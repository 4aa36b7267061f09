import { describe, expect, test } from 'vitest';
import { isWorthCollecting } from './collect-at-rest.js';

const mebibytes = 1024 * 1024;

describe('garbage is collected', () => {
  test.each([
    { name: 'at rest after much work', utilization: 0.01, used: 200, usedAfterLast: 100, collects: true },
    { name: 'not at work', utilization: 0.5, used: 200, usedAfterLast: 100, collects: false },
    { name: 'not for little', utilization: 0.01, used: 110, usedAfterLast: 100, collects: false },
    { name: 'not again at once', utilization: 0.01, used: 100, usedAfterLast: 100, collects: false },
  ])('$name', ({ utilization, used, usedAfterLast, collects }) => {
    const state = { utilization, used: used * mebibytes, usedAfterLast: usedAfterLast * mebibytes };
    expect(isWorthCollecting(state)).toBe(collects);
  });
});
