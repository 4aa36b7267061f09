import { type Clock, every, type Logger, type Millis, silentLogger } from '@coracle/base';
import type { Revision, Store } from './store.js';
import { StoreError } from './store-error.js';

export interface CompactorOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger?: Logger;
  /** Interval of compactions. */
  readonly intervalMs?: Millis;
  /** Minimum history that is kept, however much is written in that time. */
  readonly keepMs?: Millis;
  /**
   * Number of revisions since the last compaction after which the next one starts early; unless `keepMs` is set,
   * history is then reduced to this many revisions, except for the last seconds.
   */
  readonly maxRevisions?: number;
  /** Several processes use the store: of those that would compact it in one interval, one does. */
  readonly shared?: boolean;
}

/**
 * The key by which compactors of a shared store coordinate, as those of kube-apiserver: the server that writes it first
 * in an interval compacts.
 */
export const agreementKey = 'compact_rev_key';

/** A revision, and the time at which it was the newest. */
interface Sample {
  readonly at: Millis;
  readonly revision: Revision;
}

/** How often the store's revision is recorded in the retention period, which is its resolution. */
const samplesPerPeriod = 5;

const usualKeepMs: Millis = 75_000;
/** Time for which pages of a list can still be read, however much is written. */
const leastKeepMs: Millis = 20_000;

/** Compacts old history: periodically, and sooner when much is written. */
export class Compactor implements Disposable {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #keepMs: Millis;
  /** The maximum history when much is written. */
  readonly #leastMs: Millis;
  readonly #shared: boolean;
  readonly #maxRevisions: number;
  readonly #timers: readonly Disposable[];
  /** In order of time. The newest that is old enough is the compaction revision. */
  #samples: Sample[] = [];
  /** When the coordination key was last observed to change. */
  #agreed: Revision = 0;
  #compactedAt: Revision = 0;

  constructor(options: CompactorOptions) {
    const { store, clock, logger = silentLogger, shared = false } = options;
    const { intervalMs = 300_000, keepMs = usualKeepMs, maxRevisions = 25_000 } = options;
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#keepMs = keepMs;
    this.#leastMs = options.keepMs ?? leastKeepMs;
    this.#shared = shared;
    this.#maxRevisions = maxRevisions;
    this.#timers = [
      every(clock, Math.min(this.#leastMs, intervalMs) / samplesPerPeriod, () => this.#run(() => this.#sample())),
      every(clock, intervalMs, () => this.#run(() => this.#compact())),
    ];
    this.#run(() => this.#sample());
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
  }

  /** A failure costs only disk space: the next interval compensates for it. */
  #run(task: () => Promise<void>): void {
    task().catch((error: unknown) => {
      if (StoreError.is(error, 'Closed')) this[Symbol.dispose]();
      else if (!StoreError.is(error, 'Compacted')) this.#logger.error('compaction failed', { reason: String(error) });
    });
  }

  async #sample(): Promise<void> {
    const at = this.#clock.now();
    const revision = await this.#store.currentRevision();
    this.#samples.push({ at, revision });
    // Processes that share a store coordinate by intervals.
    if (!this.#shared && revision - this.#compactedAt > this.#maxRevisions) await this.#compact();
  }

  async #compact(): Promise<void> {
    const cut = this.#whereToCut();
    if (!cut) return;
    this.#samples = this.#samples.filter(({ at }) => at > cut.at);
    if (this.#shared && !(await this.#isOurs(cut.revision))) return;
    this.#compactedAt = cut.revision;
    await this.#store.compact(cut.revision);
    this.#logger.debug('history compacted', { revision: cut.revision });
  }

  #whereToCut(): Sample | undefined {
    const now = this.#clock.now();
    const newest = this.#samples.at(-1)?.revision ?? 0;
    const isOld = ({ at, revision }: Sample) =>
      at <= now - this.#keepMs || (at <= now - this.#leastMs && newest - revision >= this.#maxRevisions);
    return this.#samples.findLast(isOld);
  }

  /** False if another process has compacted since the last check. */
  async #isOurs(revision: Revision): Promise<boolean> {
    const {
      succeeded,
      revision: written,
      current,
    } = await this.#store.transact({
      compare: [{ key: agreementKey, modRevision: this.#agreed }],
      operations: [{ kind: 'put', key: agreementKey, value: new TextEncoder().encode(String(revision)) }],
    });
    this.#agreed = succeeded ? written : (current[0]?.modRevision ?? 0);
    return succeeded;
  }
}
