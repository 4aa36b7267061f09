/** Leaves are split when they grow past this; small enough to insert into, large enough that there are few. */
const leafSize = 512;

interface Leaf {
  readonly keys: string[];
  readonly values: Uint8Array[];
}

/**
 * An ordered map from binary strings (one character a byte) to bytes, as a list of sorted leaves.
 * Finding, inserting and removing take logarithmic time, up to a short move within a leaf.
 */
export class SortedBytes {
  /** Never empty of leaves; no leaf but a single one is empty of keys. */
  #leaves: Leaf[] = [{ keys: [], values: [] }];

  get(key: string): Uint8Array | undefined {
    const leaf = this.#leaves[this.#leafOf(key)]!;
    const index = lowerBound(leaf.keys, key);
    return leaf.keys[index] === key ? leaf.values[index] : undefined;
  }

  set(key: string, value: Uint8Array): void {
    const at = this.#leafOf(key);
    const { keys, values } = this.#leaves[at]!;
    const index = lowerBound(keys, key);
    if (keys[index] === key) {
      values[index] = value;
      return;
    }
    keys.splice(index, 0, key);
    values.splice(index, 0, value);
    if (keys.length > leafSize) this.#split(at);
  }

  delete(key: string): void {
    const at = this.#leafOf(key);
    const { keys, values } = this.#leaves[at]!;
    const index = lowerBound(keys, key);
    if (keys[index] !== key) return;
    keys.splice(index, 1);
    values.splice(index, 1);
    if (keys.length === 0 && this.#leaves.length > 1) this.#leaves.splice(at, 1);
  }

  /** The entries from `start` up to `end`, in order. A caller that changes the map meanwhile must begin again. */
  *range(start: string, end: string): Generator<readonly [string, Uint8Array]> {
    for (let at = this.#leafOf(start); at < this.#leaves.length; at++) {
      const { keys, values } = this.#leaves[at]!;
      for (let index = lowerBound(keys, start); index < keys.length; index++) {
        if (keys[index]! >= end) return;
        yield [keys[index]!, values[index]!];
      }
    }
  }

  *reverseRange(start: string, end: string): Generator<readonly [string, Uint8Array]> {
    for (let at = this.#leafOf(end); at >= 0; at--) {
      const { keys, values } = this.#leaves[at]!;
      for (let index = lowerBound(keys, end) - 1; index >= 0; index--) {
        if (keys[index]! < start) return;
        yield [keys[index]!, values[index]!];
      }
    }
  }

  count(start: string, end: string): number {
    if (end <= start) return 0;
    const first = this.#leafOf(start);
    const last = this.#leafOf(end);
    let count = lowerBound(this.#leaves[last]!.keys, end) - lowerBound(this.#leaves[first]!.keys, start);
    for (let at = first; at < last; at++) count += this.#leaves[at]!.keys.length;
    return count;
  }

  /** The last leaf that begins at or before the key. */
  #leafOf(key: string): number {
    let low = 0;
    let high = this.#leaves.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#leaves[middle]!.keys[0]! <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** A leaf at the end is cut near its end: keys that only grow, as those of the log, then fill leaves whole. */
  #split(at: number): void {
    const { keys, values } = this.#leaves[at]!;
    const cut = at === this.#leaves.length - 1 ? leafSize - 16 : leafSize >> 1;
    this.#leaves.splice(at + 1, 0, { keys: keys.splice(cut), values: values.splice(cut) });
  }
}

/** The first index whose key is not before `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
