import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { ReadBuffer } from './read-buffer.js';

export interface CodeCacheOptions {
  /** `~/.kube/cache/coracle` */
  readonly directory: string;
  /** The program and the command, such as `kubectl-get`. */
  readonly name: string;
  /** Everything that compiled code depends on: the build, Node.js and its flags. */
  readonly key: string;
  readonly buffer: ReadBuffer;
}

interface CacheIndex {
  readonly key: string;
  /** Whether the run that wrote it ended well: a failed one has compiled little. */
  readonly complete: boolean;
  /** Chunk → where its code begins after the index, its length and its checksum. */
  readonly chunks: Readonly<Record<string, readonly [offset: number, length: number, crc: number]>>;
}

const lengthDigits = 10;
/** Files of one command, for other versions of Node.js and of Coracle. */
const keptFiles = 4;

/**
 * Code that V8 compiled in an earlier run of the same command, by chunk. V8 checks its own version, its flags and the
 * length of the source, but runs damaged code as it is: so each chunk has a checksum here. A file that is damaged, of
 * another build or not ours alone counts as missing.
 */
export class CodeCache {
  readonly #options: CodeCacheOptions;
  readonly #file: string;
  #index: CacheIndex | undefined;
  #descriptor = -1;
  #start = 0;

  constructor(options: CodeCacheOptions) {
    this.#options = options;
    this.#file = join(options.directory, `${options.name}-${hex(crc32(options.key))}`);
    this.#open();
  }

  #open(): void {
    const { directory, key, buffer } = this.#options;
    try {
      if (!isOursAlone(directory)) return;
      this.#descriptor = openSync(this.#file, 'r');
      const length = Number(this.#read(0, lengthDigits).toString('latin1'));
      const index = JSON.parse(this.#read(lengthDigits, length).toString('latin1')) as CacheIndex;
      if (index.key !== key || typeof index.chunks !== 'object') return;
      this.#start = lengthDigits + length;
      const sizes = Object.values(index.chunks).map(([, size]) => size);
      buffer.reserve(Math.max(0, ...sizes));
      this.#index = index;
    } catch {
      // There is none yet, or it could not be read.
    }
  }

  /** Whether a run that ended well has written it. */
  get isComplete(): boolean {
    return this.#index?.complete === true;
  }

  /** Valid until the next read of the buffer. */
  find(chunk: string): Buffer | undefined {
    const place = this.#index?.chunks[chunk];
    if (!Array.isArray(place)) return undefined;
    const [offset, length, crc] = place as [number, number, number];
    const code = this.#read(this.#start + offset, length);
    return code.length === length && crc32(code) === crc ? code : undefined;
  }

  /** Writes the code of these chunks, and of the earlier ones. Atomic; a failure changes nothing. */
  save(compiled: ReadonlyMap<string, Buffer>, complete: boolean): void {
    const all = new Map<string, Buffer>();
    for (const chunk of Object.keys(this.#index?.chunks ?? {})) {
      const code = this.find(chunk);
      if (code) all.set(chunk, Buffer.from(code));
    }
    for (const [chunk, code] of compiled) all.set(chunk, code);
    try {
      mkdirSync(this.#options.directory, { recursive: true, mode: 0o700 });
      if (!isOursAlone(this.#options.directory)) return;
      const temporary = `${this.#file}.${process.pid}`;
      const about = { key: this.#options.key, complete: complete || this.isComplete };
      writeFileSync(temporary, encode(all, about), { mode: 0o600 });
      renameSync(temporary, this.#file);
      if (this.#descriptor >= 0) closeSync(this.#descriptor);
      this.#open();
      this.#removeOld();
    } catch {
      // The next start is as slow as this one was.
    }
  }

  #read(position: number, length: number): Buffer {
    return this.#options.buffer.read(this.#descriptor, position, length);
  }

  #removeOld(): void {
    const { directory, name } = this.#options;
    const files = readdirSync(directory)
      .filter((file) => file.startsWith(`${name}-`) && /^[0-9a-f]{8}$/.test(file.slice(name.length + 1)))
      .map((file) => ({ path: join(directory, file), modifiedAt: statSync(join(directory, file)).mtimeMs }))
      .sort((a, b) => b.modifiedAt - a.modifiedAt);
    for (const { path } of files.slice(keptFiles)) rmSync(path, { force: true });
  }
}

/** Any user who may write there could run code as this user. */
function isOursAlone(directory: string): boolean {
  const found = lstatSync(directory);
  if (!found.isDirectory()) return false;
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
}

function encode(chunks: ReadonlyMap<string, Buffer>, about: Omit<CacheIndex, 'chunks'>): Buffer {
  let offset = 0;
  const places: Record<string, [number, number, number]> = {};
  for (const [chunk, code] of chunks) {
    places[chunk] = [offset, code.length, crc32(code)];
    offset += code.length;
  }
  const index = Buffer.from(JSON.stringify({ ...about, chunks: places }));
  return Buffer.concat([Buffer.from(String(index.length).padStart(lengthDigits, '0')), index, ...chunks.values()]);
}

function hex(number: number): string {
  return number.toString(16).padStart(8, '0');
}
