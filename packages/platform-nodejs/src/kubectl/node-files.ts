import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { FileError, type Files } from '@coracle/kubectl';

/** How Go words the failures of the system. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
  EEXIST: 'file exists',
  ENOSPC: 'no space left on device',
  EROFS: 'read-only file system',
  ENOTEMPTY: 'directory not empty',
};

async function attempt<T>(operation: string, path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new FileError(operation, path, reasons[code] ?? message);
  }
}

/** The files of this machine. */
export function nodeFiles(environment: NodeJS.ProcessEnv = process.env): Files {
  return {
    workingDirectory: process.cwd(),
    homeDirectory: environment['HOME'] || homedir(),
    temporaryDirectory: environment['TMPDIR'] || tmpdir(),
    read: (path) =>
      attempt('open', path, () => readFile(path)).catch((error: FileError) => {
        throw error.reason === 'is a directory' ? new FileError('read', path, error.reason) : error;
      }),
    write: (path, content, mode = 0o666) => attempt('open', path, () => replace(path, content, mode)),
    stat: async (path) => {
      const found = await attempt('stat', path, () => stat(path));
      const kind = found.isDirectory() ? 'directory' : found.isFile() ? 'file' : 'other';
      return { kind, mode: found.mode & 0o7777, modifiedAt: found.mtimeMs };
    },
    list: async (path) => (await attempt('open', path, () => readdir(path))).sort(),
    makeDirectory: async (path) => {
      await attempt('mkdir', path, () => mkdir(path, { recursive: true, mode: 0o750 }));
    },
    remove: (path) => attempt('remove', path, () => rm(path, { recursive: true, force: true })),
    resolveLinks: (path) => attempt('lstat', path, () => realpath(resolve(path))),
  };
}

/** A draft is renamed into place: readers see the old content or the new one. Links and devices are written through. */
async function replace(path: string, content: Uint8Array | string, mode: number): Promise<void> {
  const before = await stat(path).catch(() => undefined);
  if (before && !before.isFile()) return writeFile(path, content);
  const target = before ? await realpath(path) : path;
  const draft = `${target}.${randomUUID()}`;
  try {
    await writeFile(draft, content, { mode: before ? before.mode & 0o7777 : mode });
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
