import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeHostStats } from '@coracle/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { systemClock } from '../system-clock.js';
import { createHostStats } from './host-stats.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-host-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe.runIf(process.platform === 'linux')('on Linux', () => {
  describeHostStats('this machine', async () => ({
    source: createHostStats({ clock: systemClock, rootDirectory: folder, imageDirectory: async () => folder }),
    directory: folder,
    missing: join(folder, 'missing'),
  }));
});
