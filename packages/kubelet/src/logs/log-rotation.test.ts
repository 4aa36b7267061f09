import { silentLogger, VirtualClock } from '@coracle/base';
import type { RuntimeService } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../settings.js';
import { fakeLogFiles } from './fake-log-files.fixture.js';
import { LogRotation } from './log-rotation.js';

function rotationOf(sizes: Map<string, number>, reopens = true) {
  const clock = new VirtualClock();
  // Implements only what rotation uses.
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
    rotation: new LogRotation({ podLogFiles: fakeLogFiles(sizes), runtime, settings, clock, logger: silentLogger }),
  };
}

describe('logs of containers', () => {
  test('a log that is too large is rotated, and the configured number of files is kept', async () => {
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

  test('a log that the runtime does not reopen keeps its name', async () => {
    const { clock, sizes } = rotationOf(new Map([['/logs/web/0.log', 100]]), false);
    await clock.advance(10_000);
    expect([...sizes]).toEqual([['/logs/web/0.log', 100]]);
  });
});
