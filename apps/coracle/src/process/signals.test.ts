import { afterEach, expect, test, vi } from 'vitest';
import { untilSignal } from './signals.js';

const before = { SIGINT: process.listeners('SIGINT'), SIGTERM: process.listeners('SIGTERM') };
afterEach(() => {
  vi.restoreAllMocks();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    for (const listener of process.listeners(signal))
      if (!before[signal].includes(listener)) process.off(signal, listener);
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
