import { promises, readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { FileError, type Files } from '@coracle/kubectl';

/** Go's messages of system errors. */
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

/** The files of this machine. Synchronous, because nothing else runs, and no asynchronous reader has to be loaded. */
export function nodeFiles(environment: NodeJS.ProcessEnv = process.env): Files {
  return {
    workingDirectory: process.cwd(),
    homeDirectory: environment['HOME'] || homedir(),
    temporaryDirectory: environment['TMPDIR'] || tmpdir(),
    read: (path) =>
      attempt('open', path, async () => readFileSync(path)).catch((error: FileError) => {
        throw error.reason === 'is a directory' ? new FileError('read', path, error.reason) : error;
      }),
    write: (path, content, mode = 0o666) => attempt('open', path, () => replace(path, content, mode)),
    stat: async (path) => {
      const found = await attempt('stat', path, () => promises.stat(path));
      const kind = found.isDirectory() ? 'directory' : found.isFile() ? 'file' : 'other';
      return { kind, mode: found.mode & 0o7777, modifiedAt: found.mtimeMs };
    },
    list: async (path) => (await attempt('open', path, () => promises.readdir(path))).sort(),
    makeDirectory: async (path) => {
      await attempt('mkdir', path, () => promises.mkdir(path, { recursive: true, mode: 0o750 }));
    },
    remove: (path) => attempt('remove', path, () => promises.rm(path, { recursive: true, force: true })),
    resolveLinks: (path) => attempt('lstat', path, () => promises.realpath(resolve(path))),
  };
}

/**
 * A temporary file is renamed into place, so that readers see the old or the new content. Links and devices are written
 * through.
 */
async function replace(path: string, content: Uint8Array | string, mode: number): Promise<void> {
  const before = await promises.stat(path).catch(() => undefined);
  if (before && !before.isFile()) return promises.writeFile(path, content);
  const target = before ? await promises.realpath(path) : path;
  const draft = `${target}.${crypto.randomUUID()}`;
  try {
    await promises.writeFile(draft, content, { mode: before ? before.mode & 0o7777 : mode });
    await promises.rename(draft, target);
  } catch (error) {
    await promises.rm(draft, { force: true });
    throw error;
  }
}
