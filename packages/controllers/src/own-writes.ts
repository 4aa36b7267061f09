import { type KubeObject, keyOf } from '@coracle/apimachinery';
import { type Clock, type Millis, monotonicNow } from '@coracle/base';
import type { Lister } from '@coracle/client';

/** After this time an expected event counts as missed. */
export const freshnessTimeoutMs: Millis = 5000;

/**
 * What a controller has written and its informer has not shown yet.
 *
 * A controller whose cache is behind its own writes would repeat them. A key is fresh when the cache has reached the
 * last write of each of its objects.
 */
export class OwnWrites<T extends KubeObject> {
  readonly #copy: Lister<T>;
  readonly #clock: Clock;
  /** By key: the version that each object was last written in, and when. */
  readonly #pending = new Map<string, Map<string, { readonly version: number; readonly at: Millis }>>();

  constructor(copy: Lister<T>, clock: Clock) {
    this.#copy = copy;
    this.#clock = clock;
  }

  /** The cache may have the object already: events may arrive before responses. */
  wrote(key: string, object: T): void {
    const version = versionOf(object);
    const entry = this.#copy.get(keyOf(object));
    if (entry && versionOf(entry) >= version) return;
    const pending = this.#pending.get(key) ?? new Map();
    this.#pending.set(key, pending.set(keyOf(object), { version, at: monotonicNow(this.#clock) }));
  }

  /** Called for each event of the informer. True if it was the last one that the key waited for. */
  seen(key: string, object: T, deleted: boolean): boolean {
    const pending = this.#pending.get(key);
    const pendingWrite = pending?.get(keyOf(object));
    if (!pending || !pendingWrite || (!deleted && versionOf(object) < pendingWrite.version)) return false;
    pending.delete(keyOf(object));
    if (pending.size > 0) return false;
    this.#pending.delete(key);
    return true;
  }

  isFresh(key: string): boolean {
    const oldest = monotonicNow(this.#clock) - freshnessTimeoutMs;
    const isWaiting = [...(this.#pending.get(key)?.values() ?? [])].some(({ at }) => at > oldest);
    if (!isWaiting) this.#pending.delete(key);
    return !isWaiting;
  }

  forget(key: string): void {
    this.#pending.delete(key);
  }
}

function versionOf({ metadata }: KubeObject): number {
  return Number(metadata.resourceVersion ?? '0');
}
