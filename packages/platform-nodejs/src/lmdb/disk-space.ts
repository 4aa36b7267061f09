import { statfs } from 'node:fs/promises';
import type { Logger, Millis } from '@coracle/base';
import { type BackendWrite, StoreError } from '@coracle/store';
import { DirectoryError } from '../make-directory.js';

/**
 * Minimum free space to open the database: LMDB writes into the memory map of its lock file, and without space that
 * kills the process.
 */
const leastToOpen = 1 << 20;
/** Free space below which a failed write counts as caused by a full disk. */
const nearlyFull = 4 << 20;
/**
 * Maximum size of writes on a full disk: free pages of the database may have room for them, for example for deletions.
 */
const largeBytes = 64 << 10;
const reportEveryMs: Millis = 60_000;
/** Errors of LMDB: EIO for pages that it could not write, and ENOSPC. */
const writeFailures: ReadonlySet<unknown> = new Set([5, 28]);

export interface DiskSpaceOptions {
  readonly path: string;
  readonly logger?: Logger | undefined;
  readonly now?: () => Millis;
  readonly freeBytes?: (path: string) => Promise<number>;
}

/** Whether the disk of a database is full. The system is not called as long as writes succeed. */
export class DiskSpace {
  readonly #path: string;
  readonly #logger: Logger | undefined;
  readonly #now: () => Millis;
  readonly #freeBytes: (path: string) => Promise<number>;
  #full = false;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor({ path, logger, now = () => performance.now(), freeBytes = freeBytesOf }: DiskSpaceOptions) {
    this.#path = path;
    this.#logger = logger;
    this.#now = now;
    this.#freeBytes = freeBytes;
  }

  /** Fails with a DirectoryError if the database cannot be opened. */
  async checkOpening(): Promise<void> {
    if ((await this.#freeBytes(this.#path)) >= leastToOpen) return;
    throw new DirectoryError(this.#path, Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
  }

  /** Whether a write failed for lack of space, and none has succeeded since. */
  get isFull(): boolean {
    return this.#full;
  }

  /** On a full disk: fails with `NoSpace` before LMDB tries a write that is too large. */
  async checkWrite(writes: readonly BackendWrite[]): Promise<void> {
    const bytes = writes.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
    const free = await this.#freeBytes(this.#path);
    if (free >= nearlyFull) return this.#end();
    if (bytes > largeBytes && free < bytes * 2) throw this.#noSpace();
  }

  /** The error of a write that failed: `NoSpace` if the disk is full. */
  async explain(error: unknown): Promise<unknown> {
    const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    if (!writeFailures.has(code)) return error;
    const isFull = code === 28 || (await this.#freeBytes(this.#path)) < nearlyFull;
    return isFull ? this.#noSpace(error) : error;
  }

  #noSpace(cause?: unknown): StoreError {
    this.#full = true;
    const error = new StoreError('NoSpace', `no space left on the disk of ${this.#path}`, { cause });
    if (this.#now() >= this.#reportedAt + reportEveryMs) {
      this.#reportedAt = this.#now();
      this.#logger?.error(`${error.message}: writes fail until there is some`);
    }
    return error;
  }

  #end(): void {
    this.#full = false;
    this.#reportedAt = Number.NEGATIVE_INFINITY;
    this.#logger?.error(`there is space on the disk of ${this.#path} again`);
  }
}

async function freeBytesOf(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}
