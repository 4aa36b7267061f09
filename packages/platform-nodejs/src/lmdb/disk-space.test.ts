import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@coracle/base';
import { StoreError } from '@coracle/store';
import { expect, onTestFinished, test } from 'vitest';
import { DiskSpace } from './disk-space.js';
import { LmdbBackend } from './lmdb-backend.js';

function diskOf(bytes: number) {
  const lines: string[] = [];
  const disk = { free: bytes, now: 0 };
  const logger = { ...silentLogger, error: (message: string) => void lines.push(message) };
  const space = new DiskSpace({ path: '/data', logger, now: () => disk.now, freeBytes: async () => disk.free });
  return { disk, lines, space };
}

const failed = (code: number) => Object.assign(new Error('Input/output error'), { code });
const writeOf = (bytes: number) => [{ key: new Uint8Array(1), value: new Uint8Array(bytes) }];

test('a write that failed on a full disk reports it, and it is logged once a minute', async () => {
  const { disk, lines, space } = diskOf(0);
  for (let i = 0; i < 3; i++)
    expect(await space.explain(failed(5))).toMatchObject({
      code: 'NoSpace',
      message: 'no space left on the disk of /data',
    });
  expect(lines).toEqual(['no space left on the disk of /data: writes fail until there is some']);
  disk.now = 60_000;
  await space.explain(failed(28));
  expect(lines).toHaveLength(2);
});

test('other failures are unchanged', async () => {
  const { lines, space } = diskOf(1e9);
  for (const error of [failed(5), failed(13), new Error('x')]) expect(await space.explain(error)).toBe(error);
  expect(lines).toEqual([]);
});

test('a full disk takes no large write, and takes them again when there is space', async () => {
  const { disk, lines, space } = diskOf(0);
  expect(space.isFull).toBe(false);
  await space.explain(failed(5));
  await expect(space.checkWrite(writeOf(1e6))).rejects.toSatisfy((error) => StoreError.is(error, 'NoSpace'));
  await space.checkWrite(writeOf(100));
  disk.free = 1e9;
  await space.checkWrite(writeOf(1e6));
  expect(lines.at(-1)).toBe('there is space on the disk of /data again');
  expect(space.isFull).toBe(false);
});

test('a database is not opened on a full disk', async () => {
  const path = mkdtempSync(join(tmpdir(), 'coracle-full-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  await expect(LmdbBackend.open({ path, freeBytes: async () => 4096 })).rejects.toThrow(
    `cannot use the directory ${path}: the disk is full`,
  );
});
