import { expect, test } from 'vitest';
import { isTerminalPhase, isTerminalPod } from './pod-phase.js';

test.each([
  ['Succeeded', true],
  ['Failed', true],
  ['Running', false],
  ['Pending', false],
  ['Unknown', false],
  ['', false],
  [undefined, false],
])('phase %s: terminal is %s', (phase, terminal) => {
  expect(isTerminalPhase(phase)).toBe(terminal);
  expect(isTerminalPod({ status: phase === undefined ? {} : { phase } })).toBe(terminal);
});

test('a pod without a status has not ended', () => {
  expect(isTerminalPod({})).toBe(false);
});
