import type { Millis } from '@coracle/base';

interface Sample {
  readonly at: Millis;
  readonly total: number;
  readonly rate: number | undefined;
}

const forgetMs: Millis = 600_000;
/** Two samples that are closer give no meaningful rate. */
const closestMs: Millis = 100;

/** CPU usage a second, from totals that are read again and again. */
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

  /** Rates that were not read lately are dropped. */
  forget(now: Millis): void {
    for (const [key, { at }] of this.#samples) if (now - at > forgetMs) this.#samples.delete(key);
  }
}
