import { openSync } from 'node:fs';
import type { ReadBuffer } from './read-buffer.js';

/** The header of a pack; see `tools/pack-chunks.mjs`. */
interface PackIndex {
  /** The chunk that has `main`. */
  readonly entry: string;
  /** Of all chunks: another build has another one. */
  readonly hash: string;
  /** Commands with a separate code cache. */
  readonly words: readonly string[];
  /** Chunk → where its text begins after the index, and how long it is. */
  readonly chunks: Readonly<Record<string, readonly [offset: number, length: number]>>;
}

/** The index begins with its own length, as a decimal of this many digits. */
const lengthDigits = 10;

/**
 * The chunks of a program in one file, of which only those are read that are needed. The file stays open: an upgrade
 * that replaces it while the program runs does not mix two builds.
 */
export class Pack {
  readonly index: PackIndex;
  readonly #descriptor: number;
  readonly #start: number;
  readonly #buffer: ReadBuffer;

  constructor(file: string, buffer: ReadBuffer) {
    this.#buffer = buffer;
    this.#descriptor = openSync(file, 'r');
    const length = Number(this.#read(0, lengthDigits));
    this.index = JSON.parse(this.#read(lengthDigits, length)) as PackIndex;
    this.#start = lengthDigits + length;
    buffer.reserve(Math.max(...Object.values(this.index.chunks).map(([, size]) => size)));
  }

  /**
   * The text of a chunk: an expression, whose value is a function of `exports`, `require`, `module`, `moduleUrl` and
   * `importModule`.
   */
  text(chunk: string): string {
    const place = this.index.chunks[chunk];
    if (!place) throw new Error(`there is no chunk ${chunk}`);
    return this.#read(this.#start + place[0], place[1]);
  }

  /** The build writes ASCII, which becomes a string without being decoded. */
  #read(position: number, length: number): string {
    return this.#buffer.read(this.#descriptor, position, length).toString('latin1');
  }
}
