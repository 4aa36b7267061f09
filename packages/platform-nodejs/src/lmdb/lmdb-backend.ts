import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, nextTurn } from '@coracle/base';
import { type Backend, type BackendRangeOptions, type BackendWrite, ValueCompression } from '@coracle/store';
import { open, type RootDatabase } from 'lmdb';
import { makeDirectory } from '../make-directory.js';
import { DiskSpace, type DiskSpaceOptions } from './disk-space.js';
import { checkDatabaseFile, damaged } from './file-check.js';
import { lockDatabase, refuseOwned } from './lock.js';
import { ValueArena } from './value-arena.js';
import { valueDictionary } from './value-dictionary.js';

/** `path` is the directory of the database. It is created if it does not exist. */
export type LmdbOptions = DiskSpaceOptions;

/**
 * Minimum size of values that are compressed: objects take a quarter of the space. Not done by lmdb, which passes each
 * value to a separate thread: that makes a write much slower than the compression.
 */
const compressedFrom = 300;

/**
 * An ordered map of bytes in a file, durable and safe in a crash.
 *
 * A write is acknowledged after the operating system reports it to be on disk. For that, `overlappingSync` is off:
 * with it, lmdb resolves the promise of a write as soon as the write is visible, before it is flushed.
 */
export class LmdbBackend implements Backend {
  readonly #database: RootDatabase<Uint8Array, Uint8Array>;
  readonly #path: string;
  readonly #values = new ValueCompression({
    from: compressedFrom,
    dictionary: new TextEncoder().encode(valueDictionary),
  });
  readonly #arena = new ValueArena();
  readonly #space: DiskSpace;
  readonly #lock: Disposable;

  private constructor(parts: {
    readonly database: RootDatabase<Uint8Array, Uint8Array>;
    readonly path: string;
    readonly space: DiskSpace;
    readonly lock: Disposable;
  }) {
    this.#database = parts.database;
    this.#path = parts.path;
    this.#space = parts.space;
    this.#lock = parts.lock;
  }

  /** Fails with `Closed` if another process has it open, with `Corrupt` if the file cannot be read, and with a DirectoryError. */
  static async open(options: LmdbOptions): Promise<LmdbBackend> {
    const { path } = options;
    // It contains secrets, so other users may not read it.
    await makeDirectory(path, { mode: 0o700, writable: true });
    const space = new DiskSpace(options);
    await space.checkOpening();
    await refuseOwned(path);
    checkDatabaseFile(path);
    const database = openFile(path);
    try {
      return new LmdbBackend({ database, path, space, lock: await lockDatabase(database, path) });
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const stored = this.#database.getBinary(key);
    return stored && this.#values.decode(stored);
  }

  *range(
    start: Uint8Array,
    end: Uint8Array,
    { limit, reverse = false }: BackendRangeOptions = {},
  ): Iterable<readonly [Uint8Array, Uint8Array]> {
    const bounds = reverse
      ? { start: end, exclusiveStart: true, end: start, inclusiveEnd: true, reverse }
      : { start, end };
    let left = limit ?? Number.POSITIVE_INFINITY;
    if (left <= 0) return;
    for (const { key, value } of this.#database.getRange(bounds)) {
      yield [key, this.#values.decode(value)];
      if (--left === 0) return;
    }
  }

  async sizeBytes(): Promise<number> {
    return (await stat(join(this.#path, 'data.mdb'))).size;
  }

  count(start: Uint8Array, end: Uint8Array): number {
    return this.#database.getKeysCount({ start, end });
  }

  async write(writes: readonly BackendWrite[]): Promise<void> {
    if (this.#space.isFull) await this.#space.checkWrite(writes);
    try {
      await this.#database.batch(() => {
        let watched: Promise<boolean> | undefined;
        for (const { key, value } of writes) {
          const written = value ? this.#put(key, value) : this.#database.remove(key);
          if (written === watched) continue;
          // It fails with the batch, which is awaited.
          written.catch(ignore);
          watched = written;
        }
      });
    } catch (error) {
      throw await this.#space.explain(await commitErrorOf(error));
    }
  }

  #put(key: Uint8Array, value: Uint8Array): Promise<boolean> {
    return this.#database.put(key, this.#arena.copy(this.#values.encode(value)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lock[Symbol.dispose]();
    await this.#database.close();
  }
}

function ignore(): void {}

/** lmdb only reports that a commit failed, and rejects a separate promise with the reason in the same turn. */
async function commitErrorOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { readonly commitError?: Promise<never> };
  if (!commitError) return error;
  return await Promise.race([commitError, nextTurn().then(() => error)]).catch((reason: unknown) => reason);
}

function openFile(path: string): RootDatabase<Uint8Array, Uint8Array> {
  try {
    return open<Uint8Array, Uint8Array>({
      path,
      keyEncoding: 'binary',
      encoding: 'binary',
      overlappingSync: false,
      // Batches are explicit; implicit ones leave rejections that cannot be caught when the disk is full.
      eventTurnBatching: false,
      cache: false,
      // Address space, not memory. A map that grows step by step leaves the smaller ones behind, which still count as
      // memory of the process.
      ...(process.platform !== 'win32' && { mapSize: 2 ** 36 }),
      noSubdir: false,
    });
  } catch (cause) {
    throw damaged(path, messageOf(cause), cause);
  }
}
