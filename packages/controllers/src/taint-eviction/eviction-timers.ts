import { type Clock, type Millis, monotonicNow } from '@coracle/base';

interface Eviction {
  readonly uid: string;
  readonly at: Millis;
  /** When the taint was first seen. Later syncs count from then, so that updates of a pod do not extend its time. */
  readonly since: Millis;
  readonly timer: Disposable;
}

/** Scheduled evictions of pods. */
export class EvictionTimers implements Disposable {
  readonly #clock: Clock;
  readonly #evict: (podKey: string) => void;
  readonly #evictions = new Map<string, Eviction>();

  constructor(clock: Clock, evict: (podKey: string) => void) {
    this.#clock = clock;
    this.#evict = evict;
  }

  /** A scheduled pod is unchanged, unless it has to be evicted now. True if its time has changed. */
  schedule(podKey: string, uid: string, delayMs: Millis): boolean {
    const now = monotonicNow(this.#clock);
    const entry = this.#evictions.get(podKey);
    const current = entry?.uid === uid ? entry : undefined;
    if (current && (current.at <= now || (delayMs > 0 && current.since < now))) return false;
    entry?.timer[Symbol.dispose]();
    const since = current?.since ?? now;
    const timer = this.#clock.schedule(Math.max(0, delayMs), () => this.#evict(podKey));
    this.#evictions.set(podKey, { uid, at: now + delayMs, since, timer });
    return current !== undefined;
  }

  /** True if an eviction was cancelled. */
  cancel(podKey: string): boolean {
    const eviction = this.#evictions.get(podKey);
    eviction?.timer[Symbol.dispose]();
    return this.#evictions.delete(podKey);
  }

  /** The scheduled pod and its time, if it is still scheduled. */
  get(podKey: string): { readonly uid: string; readonly at: Millis } | undefined {
    return this.#evictions.get(podKey);
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#evictions.values()) timer[Symbol.dispose]();
    this.#evictions.clear();
  }
}
