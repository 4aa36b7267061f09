import { silentLogger, VirtualClock } from '@coracle/base';
import type { RuntimeService } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { defaultSettings } from '../settings.js';
import type { LogFiles } from './log-files.js';
import { LogRotation } from './log-rotation.js';

function rotationOf(sizes: Map<string, number>, reopens = true) {
  const clock = new VirtualClock();
  const rename = (from: string, to: string) => {
    sizes.set(to, sizes.get(from) ?? 0);
    sizes.delete(from);
  };
  const logFiles: LogFiles = {
    size: async (path) => sizes.get(path),
    list: async (folder) => [
      ...new Set(
        [...sizes.keys()]
          .filter((path) => path.startsWith(`${folder}/`))
          .map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''),
      ),
    ],
    rename: async (from, to) => rename(from, to),
    compress: async (path) => rename(path, `${path}.gz`),
    remove: async (path) => {
      for (const name of [...sizes.keys()]) if (name === path || name.startsWith(`${path}/`)) sizes.delete(name);
    },
  };
  // Only what rotation takes is there.
  const runtime = {
    listContainers: async () => ({ containers: [{ id: 'c1' }] }),
    containerStatus: async () => ({ status: { logPath: '/logs/web/0.log' } }),
    reopenContainerLog: async () => {
      if (!reopens) throw new Error('no');
      sizes.set('/logs/web/0.log', 0);
      return {};
    },
  } as Partial<RuntimeService> as RuntimeService;
  const settings = { ...defaultSettings, containerLogMaxSize: 100, containerLogMaxFiles: 3, podLogsDir: '/logs' };
  return {
    clock,
    sizes,
    rotation: new LogRotation({ podLogFiles: logFiles, runtime, settings, clock, logger: silentLogger }),
  };
}

describe('logs of containers', () => {
  test('a log that is too large is rotated, and as many as set are kept', async () => {
    const { clock, sizes } = rotationOf(new Map([['/logs/web/0.log', 100]]));
    await clock.advance(10_000);
    expect([...sizes.keys()].sort()).toEqual(['/logs/web/0.log', '/logs/web/0.log.20260101-000010']);
    for (let round = 0; round < 5; round++) {
      sizes.set('/logs/web/0.log', 500);
      await clock.advance(10_000);
    }
    expect([...sizes.keys()].sort()).toEqual([
      '/logs/web/0.log',
      '/logs/web/0.log.20260101-000050',
      '/logs/web/0.log.20260101-000100',
    ]);
  });

  test('one that the runtime does not open again keeps its name', async () => {
    const { clock, sizes } = rotationOf(new Map([['/logs/web/0.log', 100]]), false);
    await clock.advance(10_000);
    expect([...sizes]).toEqual([['/logs/web/0.log', 100]]);
  });

  test('logs of deleted pods are removed', async () => {
    const pod = makePod();
    const own = `/logs/${pod.metadata.namespace}_${pod.metadata.name}_${pod.metadata.uid}/web/0.log`;
    const { rotation, sizes } = rotationOf(
      new Map([
        [own, 1],
        ['/logs/a_b_gone/c/0.log', 1],
        ['/logs/other', 1],
      ]),
    );
    await rotation.removeOrphans((uid) => uid === pod.metadata.uid);
    expect([...sizes.keys()].sort()).toEqual(['/logs/other', own].sort());
    await rotation.forget(pod);
    expect([...sizes.keys()]).toEqual(['/logs/other']);
  });
});
