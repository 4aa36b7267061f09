import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@coracle/base';
import { createLmdbStore } from '@coracle/platform-nodejs';
import { expect, onTestFinished, test } from 'vitest';
import { startCluster } from './start-cluster.js';

test('a start that fails for its certificates leaves no store open', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'coracle-failed-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const certDir = join(dataDir, 'file');
  writeFileSync(certDir, '');
  const store = { kind: 'lmdb', dataDir } as const;
  await expect(startCluster({ dataDir, certDir, store })).rejects.toThrow(`${certDir}: it is a file`);
  await using again = await createLmdbStore({ path: join(dataDir, 'db'), clock: new VirtualClock() });
  expect(await again.currentRevision()).toBeGreaterThanOrEqual(0);
});
