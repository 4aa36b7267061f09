import type { Millis } from '@coracle/base';

interface Sample {
  readonly at: Millis;
  readonly total: number;
  readonly rate: number | undefined;
}

const forgetMs: Millis = 600_000;
/** Minimum distance of two samples for a meaningful rate. */
const closestMs: Millis = 100;

/** CPU usage per second, computed from cumulative totals. */
export class UsageRates {
  readonly #samples = new Map<string, Sample>();

  /** Nanocores since the last sample of this key; `undefined` at the first, and after a restart. */
  nanoCores(key: string, totalNanoSeconds: number, at: Millis): number | undefined {
    const last = this.#samples.get(key);
    // Samples have the time of the machine, which may have been set back.
    const isLater = last !== undefined && at >= last.at;
    if (isLater && at - last.at < closestMs) return last.rate;
    const grown = isLater && totalNanoSeconds >= last.total;
    const rate = grown ? Math.round((totalNanoSeconds - last.total) / ((at - last.at) / 1_000)) : undefined;
    this.#samples.set(key, { at, total: totalNanoSeconds, rate });
    return rate;
  }

  /** Rates that were not read recently are dropped. */
  forget(now: Millis): void {
    for (const [key, { at }] of this.#samples) if (now - at > forgetMs) this.#samples.delete(key);
  }
}
