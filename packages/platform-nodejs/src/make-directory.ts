import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface DirectoryOptions {
  /** Mode of new directories. */
  readonly mode?: number;
  /** Whether an existing directory must be writable. */
  readonly writable?: boolean;
}

/** Creates a directory and its missing parents. Fails with a DirectoryError. */
export async function makeDirectory(path: string, { mode, writable = false }: DirectoryOptions = {}): Promise<void> {
  try {
    await makeEach(path, mode);
    if (!(await stat(path)).isDirectory()) throw new Error('it is a file');
    if (writable) await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw DirectoryError.is(error) ? error : new DirectoryError(path, error as NodeJS.ErrnoException);
  }
}

/**
 * Level by level: with `recursive`, Node.js retries forever if the system reports a directory as missing that exists,
 * as `/proc` does.
 */
async function makeEach(path: string, mode: number | undefined): Promise<void> {
  if (await isThere(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makeEach(parent, mode);
  try {
    await mkdir(path, { ...(mode !== undefined && { mode }) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw new DirectoryError(path, error as Error);
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Messages for the system's error codes. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'the file system does not allow it',
  ENOTDIR: 'a part of the path is a file',
  ENOSPC: 'the disk is full',
};

/** A directory that cannot be used. */
export class DirectoryError extends Error {
  override readonly name: string = 'DirectoryError';
  readonly code = 'UnusableDirectory';

  constructor(path: string, cause: NodeJS.ErrnoException) {
    super(`cannot use the directory ${path}: ${reasons[cause.code ?? ''] ?? cause.message}`, { cause });
  }

  static is(error: unknown): error is DirectoryError {
    return error instanceof Error && error.name === 'DirectoryError';
  }
}
