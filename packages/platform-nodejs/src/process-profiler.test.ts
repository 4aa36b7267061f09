import { expect, test } from 'vitest';
import { createProcessProfiler } from './process-profiler.js';

test('FLAG-17 a profile of time names functions, and one at a time is taken', async () => {
  const profiler = createProcessProfiler();
  const stop = await profiler.startCpu();
  await expect(profiler.startCpu()).rejects.toThrow('cpu profiling already in use');
  const profile = JSON.parse(await stop());
  expect(profile.nodes[0].callFrame.functionName).toBe('(root)');
  const again = await profiler.startCpu();
  await again();
});

test('FLAG-17 a profile of memory is a tree of calls', async () => {
  const profiler = createProcessProfiler();
  const stop = await profiler.startHeap();
  const profile = JSON.parse(await stop());
  expect(profile.head.callFrame.functionName).toBe('(root)');
});

test('what the process waits for is counted by kind', () => {
  const timer = setTimeout(() => {}, 60_000);
  expect(createProcessProfiler().waitingFor()['Timeout']).toBeGreaterThan(0);
  clearTimeout(timer);
});
