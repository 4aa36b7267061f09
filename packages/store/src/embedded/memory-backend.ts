import type { Backend, BackendRangeOptions, BackendWrite } from '../backend.js';
import { SortedBytes } from './sorted-bytes.js';

/** Keeps everything in memory only. */
export class MemoryBackend implements Backend {
  #entries = new SortedBytes();

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#entries.get(binary(key));
  }

  *range(
    start: Uint8Array,
    end: Uint8Array,
    { limit = Number.POSITIVE_INFINITY, reverse = false }: BackendRangeOptions = {},
  ): Iterable<readonly [Uint8Array, Uint8Array]> {
    const [from, to] = [binary(start), binary(end)];
    let left = limit;
    for (const [key, value] of reverse ? this.#entries.reverseRange(from, to) : this.#entries.range(from, to)) {
      if (left-- <= 0) return;
      yield [bytes(key), value];
    }
  }

  count(start: Uint8Array, end: Uint8Array): number {
    return this.#entries.count(binary(start), binary(end));
  }

  async write(writes: readonly BackendWrite[]): Promise<void> {
    for (const { key, value } of writes) {
      if (value) this.#entries.set(binary(key), value);
      else this.#entries.delete(binary(key));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#entries = new SortedBytes();
  }
}

/** One character per byte: strings are cheaper to compare and to store than byte arrays. */
function binary(key: Uint8Array): string {
  return Reflect.apply(String.fromCharCode, null, key);
}

function bytes(key: string): Uint8Array {
  const result = new Uint8Array(key.length);
  for (let index = 0; index < key.length; index++) result[index] = key.charCodeAt(index);
  return result;
}
