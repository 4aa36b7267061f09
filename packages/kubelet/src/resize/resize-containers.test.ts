import { describe, expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { newPodWork } from '../pod-work.js';
import { finishResize, type ResizeParts, resizeContainers } from './resize-containers.js';

const mebi = 2 ** 20;

/** A runtime whose containers use this much memory, and its calls. */
function resizing(usage: number) {
  const done: string[] = [];
  const runtime: ResizeParts['runtime'] = {
    containerStats: async () => ({ stats: { memory: { usageBytes: { value: usage } } } }),
    updateContainerResources: async ({ containerId, linux }) => {
      done.push(`${containerId} ${linux?.memoryLimitInBytes} ${linux?.cpuQuota}`);
      return {};
    },
  };
  const cgroups = { relax: async () => void done.push('relax'), update: async () => void done.push('update') };
  const recorder = { event: (_about: unknown, _type: string, reason: string) => void done.push(reason) };
  const parts: ResizeParts = { runtime, cgroups, recorder };
  return { done, parts };
}

describe('containers that are resized', () => {
  const work = () => newPodWork(makePod(), [], new AbortController().signal);
  const resize = (limit: number, memoryBefore: number) => ({
    container: { name: 'web' },
    id: 'c1',
    resources: { memoryLimitInBytes: limit },
    memoryBefore,
  });

  test('get their limits while those of the pod are extended', async () => {
    const { done, parts } = resizing(50 * mebi);
    expect(await resizeContainers(parts, work(), [resize(100 * mebi, 80 * mebi)])).toBe(true);
    expect(done).toEqual(['relax', `c1 ${100 * mebi} -1`, 'update']);
  });

  test('keep their limits when they use more than the new ones', async () => {
    const { done, parts } = resizing(50 * mebi);
    const about = work();
    expect(await resizeContainers(parts, about, [resize(40 * mebi, 80 * mebi)])).toBe(false);
    expect(await resizeContainers(parts, about, [resize(40 * mebi, 80 * mebi)])).toBe(false);
    expect(done).toEqual(['ResizeError']);
    expect(about.resize).toMatchObject({
      inProgress: true,
      error: 'attempting to set container "web" memory limits (41943040) below current usage (52428800)',
    });
  });

  test('are reported when all of them are done', async () => {
    const { done, parts } = resizing(0);
    const about = work();
    about.resize = { generation: 2, inProgress: true };
    await finishResize(parts, about);
    expect([done, about.resize]).toEqual([['update', 'ResizeCompleted'], undefined]);
  });
});
