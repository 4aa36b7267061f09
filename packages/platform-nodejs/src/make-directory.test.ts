import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDirectory } from './make-directory.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-directory-'));
  await writeFile(join(folder, 'file'), '');
});
afterAll(() => rm(folder, { recursive: true }));

describe('a directory', () => {
  test('is created with its parents, and may exist already', async () => {
    const path = join(folder, 'a', 'b', 'c');
    await makeDirectory(path, { mode: 0o700 });
    await makeDirectory(path, { mode: 0o700, writable: true });
    expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  test('can be created by two processes at once', async () => {
    const path = join(folder, 'd', 'e');
    await Promise.all([makeDirectory(path), makeDirectory(path)]);
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  test('cannot be a file, or below one', async () => {
    const file = join(folder, 'file');
    await expect(makeDirectory(file)).rejects.toThrow(`cannot use the directory ${file}: it is a file`);
    await expect(makeDirectory(join(file, 'x'))).rejects.toThrow(
      `cannot use the directory ${file}/x: a part of the path is a file`,
    );
  });

  // Where Node.js would try to make it forever.
  test.runIf(process.platform === 'linux')('cannot be among the processes', async () => {
    await expect(makeDirectory('/proc/coracle/db')).rejects.toThrow(
      'cannot use the directory /proc/coracle: the file system does not allow it',
    );
  });
});
