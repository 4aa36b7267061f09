import type { Handler } from '@coracle/apiserver';
import { type Clock, every, type Millis, RecordingTracer, type Tracer } from '@coracle/base';
import { type Revision, type Store, StoreError } from '@coracle/store';

/** A revision of the store, and when it was the newest. */
interface Moment {
  readonly revision: Revision;
  readonly at: Millis;
}

const everyMs = 2_000;
const mostMoments = 2_000;

export interface HistoryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly tracer: Tracer;
}

/**
 * `GET /debug/coracle/history`: the revisions of the store that can still be read, by lists with
 * `resourceVersionMatch=Exact`. Served if steps are recorded. Disposing it ends the recording.
 */
export function historyEndpoints({ store, clock, tracer }: HistoryOptions): Disposable & {
  readonly endpoints: Readonly<Record<string, Handler>>;
} {
  if (!(tracer instanceof RecordingTracer)) return { endpoints: {}, [Symbol.dispose]: () => {} };
  const moments = new Moments(store, clock);
  const timer = every(clock, everyMs, () => void moments.note().catch(() => timer[Symbol.dispose]()));
  const endpoint: Handler = async () => {
    await moments.note();
    const range = await moments.readable();
    const text = JSON.stringify({ now: clock.now(), moments: range });
    return {
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
      body: { kind: 'bytes', chunks: [new TextEncoder().encode(text)] },
    };
  };
  return { endpoints: { '/debug/coracle/history': endpoint }, [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

/** The revision of the store at each time, as far back as it can be read. */
class Moments {
  readonly #store: Store;
  readonly #clock: Clock;
  #all: Moment[] = [];

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async note(): Promise<void> {
    const revision = await this.#store.currentRevision();
    if (this.#all.at(-1)?.revision === revision) return;
    this.#all.push({ revision, at: this.#clock.now() });
    if (this.#all.length > mostMoments) this.#all.shift();
  }

  async readable(): Promise<readonly Moment[]> {
    for (let oldest = this.#all[0]; oldest; oldest = this.#all[0]) {
      if (await this.#canRead(oldest.revision)) break;
      this.#all.shift();
    }
    return this.#all;
  }

  async #canRead(revision: Revision): Promise<boolean> {
    try {
      await this.#store.list('/', { limit: 1, revision });
      return true;
    } catch (error) {
      if (StoreError.is(error, 'Compacted')) return false;
      throw error;
    }
  }
}
