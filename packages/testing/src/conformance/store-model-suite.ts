import { type Random, randomInt, seededRandom } from '@coracle/base';
import type { Compare, KeyValue, Operation, Store, StoreWatch } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import { codeOf, del, put, Recorder, shownEvent, textOf } from './store-access.js';
import type { MakeStore } from './store-harness.js';
import { StoreModel, shownValue } from './store-model.js';

export interface ModelOptions {
  readonly runs: number;
  readonly steps: number;
}

/** Random operations against a store and against a naive map: every answer and every watch must agree. */
export function describeStoreModel(name: string, makeStore: MakeStore, { runs, steps }: ModelOptions): void {
  describe(`store model: ${name}`, () => {
    test.each(Array.from({ length: runs }, (_, seed) => seed + 1))('random history with seed %i', async (seed) => {
      await using harness = await makeStore();
      const run = new ModelRun(harness.store, seededRandom(seed));
      await run.start();
      for (let step = 0; step < steps; step++) await run.step();
      await run.finish();
    });
  });
}

interface OpenWatch {
  readonly recorder: Recorder;
  readonly watch: StoreWatch;
  readonly prefix: string;
  readonly fromRevision: number;
}

const keys = ['/a/1', '/a/2', '/a/3', '/a/b/1', '/ab/1', '/b/1', '/b/2', '/b/3'];
const prefixes = ['/', '/a/', '/a', '/b/', '/b/2', '/none/'];

class ModelRun {
  readonly #store: Store;
  readonly #random: Random;
  readonly #watches: OpenWatch[] = [];
  #model = new StoreModel(0);
  #written = 0;

  constructor(store: Store, random: Random) {
    this.#store = store;
    this.#random = random;
  }

  /** The previous content of a shared store is excluded, since the model does not have it. */
  async start(): Promise<void> {
    const revision = await this.#store.currentRevision();
    await codeOf(() => this.#store.compact(revision));
    this.#model = new StoreModel(revision);
  }

  async step(): Promise<void> {
    const kinds: readonly (readonly [number, () => Promise<void>])[] = [
      [40, () => this.#transact()],
      [10, () => this.#writeAtOnce()],
      [20, () => this.#get()],
      [20, () => this.#list()],
      [6, () => this.#openWatch()],
      [2, () => this.#compact()],
    ];
    let left = randomInt(this.#random, 98);
    for (const [weight, run] of kinds) {
      left -= weight;
      if (left < 0) return await run();
    }
  }

  async finish(): Promise<void> {
    for (const { recorder, watch, prefix, fromRevision } of this.#watches) {
      const want = this.#model.events(prefix, fromRevision);
      await recorder.untilEvents(want.length);
      expect(recorder.events.map((event) => `${event.keyValue.modRevision} ${shownEvent(event)}`)).toEqual(want);
      watch[Symbol.dispose]();
    }
  }

  async #transact(): Promise<void> {
    const chosen = keys.filter(() => this.#random.next() < 0.25);
    const operations = chosen.map((key): Operation => (this.#random.next() < 0.3 ? del(key) : this.#put(key)));
    const compare = chosen.filter(() => this.#random.next() < 0.5).map((key) => this.#compare(key));
    const want = this.#model.transact(compare, operations);
    const { succeeded, revision, current } = await this.#store.transact({ compare, operations });
    expect({ succeeded, revision }).toEqual(want);
    const found = compare.map(({ key }) => this.#model.get(key, this.#model.revision));
    expect(current.map(shown)).toEqual(succeeded ? [] : found);
  }

  /** Writers that do not wait for each other: the revisions that they get say in which order they came. */
  async #writeAtOnce(): Promise<void> {
    const operations = keys.slice(0, 2 + randomInt(this.#random, 6)).map((key) => this.#put(key));
    const results = await Promise.all(
      operations.map(async (operation) => ({
        operation,
        revision: (await this.#store.transact({ compare: [], operations: [operation] })).revision,
      })),
    );
    for (const { operation, revision } of results.sort((a, b) => a.revision - b.revision)) {
      expect(this.#model.transact([], [operation]).revision).toBe(revision);
    }
  }

  async #get(): Promise<void> {
    const key = this.#pick(keys);
    const revision = this.#oldRevision();
    const want = revision < this.#model.compactRevision ? 'Compacted' : this.#model.get(key, revision);
    expect(await codeOf(async () => shown(await this.#store.get(key, { revision })))).toEqual(want);
  }

  async #list(): Promise<void> {
    const prefix = this.#pick(prefixes);
    const revision = this.#oldRevision();
    const limit = 1 + randomInt(this.#random, 5);
    const all = this.#model.list(prefix, revision);
    const want = { items: all.slice(0, limit), more: all.length > limit, count: all.length };
    const got = await codeOf(async () => {
      const { items, more, count } = await this.#store.list(prefix, { revision, limit });
      return { items: items.map(shown), more, count };
    });
    expect(got).toEqual(revision < this.#model.compactRevision ? 'Compacted' : want);
    expect(await this.#store.count(prefix)).toBe(this.#model.list(prefix, this.#model.revision).length);
  }

  async #openWatch(): Promise<void> {
    if (this.#watches.length >= 20) return;
    const { compactRevision, revision } = this.#model;
    // A deletion at the compacted revision itself is lost in older etcd, so watches begin behind it.
    const fromRevision = compactRevision + 1 + randomInt(this.#random, revision - compactRevision + 3);
    const prefix = this.#pick(prefixes);
    const recorder = new Recorder();
    const watch = this.#store.watch(prefix, fromRevision, recorder);
    await recorder.untilEvents(this.#model.events(prefix, fromRevision).length);
    this.#watches.push({ recorder, watch, prefix, fromRevision });
  }

  async #compact(): Promise<void> {
    const { compactRevision, revision } = this.#model;
    if (revision - compactRevision < 5) return;
    this.#model.compactRevision = compactRevision + 1 + randomInt(this.#random, revision - compactRevision);
    await this.#store.compact(this.#model.compactRevision);
  }

  #compare(key: string): Compare {
    const stale = this.#random.next() < 0.2;
    return { key, modRevision: this.#model.modRevision(key) + (stale ? 1 : 0) };
  }

  #put(key: string): Operation {
    return put(key, `value ${++this.#written}`);
  }

  #oldRevision(): number {
    const { compactRevision, revision } = this.#model;
    return Math.max(1, revision - randomInt(this.#random, revision - compactRevision + 3));
  }

  #pick<T>(items: readonly T[]): T {
    return items[randomInt(this.#random, items.length)]!;
  }
}

function shown(item: KeyValue | undefined): string | undefined {
  return item && shownValue(item.key, { ...item, text: textOf(item.value) });
}
