import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { untilSignal } from './signals.js';

const signals = ['SIGINT', 'SIGTERM'] as const;

beforeEach(() => {
  // Other tests of the same process may wait for signals too.
  const others = signals.map((signal) => [signal, process.listeners(signal)] as const);
  for (const signal of signals) process.removeAllListeners(signal);
  onTestFinished(() => {
    vi.restoreAllMocks();
    for (const [signal, listeners] of others) {
      process.removeAllListeners(signal);
      for (const listener of listeners) process.on(signal, listener);
    }
  });
});

test.each([
  ['SIGTERM', 'SIGTERM'],
  ['SIGINT', 'SIGTERM'],
] as const)('SERVE-05 %s ends in order, and %s after it at once', async (first, second) => {
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  const interrupted = untilSignal();
  process.emit(first);
  await interrupted;
  expect(exit).not.toHaveBeenCalled();
  process.emit(second);
  expect(exit).toHaveBeenCalledWith(1);
});
