import { parseFieldSelector, parseLabelSelector, reasonOf } from '@coracle/apimachinery';
import { type Logger, SharedTicks, silentLogger, VirtualClock } from '@coracle/base';
import { createMemoryStore, type ListResult, type Store, StoreError, type WatchListener } from '@coracle/store';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ObjectFormat } from '../storage/object-format.js';
import { SharedLeases } from '../storage/shared-leases.js';
import { ChangeFeed } from './change-feed.js';
import { ResourceStorage } from './resource-storage.js';
import type { Selection } from './selection.js';
import { TimeBudget } from './time-budget.js';
import { bookmarkEveryMs, type EventOutlet, WatchSession } from './watch-session.js';

/** A store whose watch can be interrupted and whose lists can be delayed or fail. */
class CutStore {
  readonly store: Store;
  failing = 0;
  held: (() => void)[] | undefined;
  lists = 0;
  #listener: WatchListener | undefined;

  constructor(inner: Store) {
    this.store = {
      get: (key, options) => inner.get(key, options),
      list: async (prefix, options) => this.#list(await inner.list(prefix, options)),
      count: (prefix) => inner.count(prefix),
      transact: (transaction) => inner.transact(transaction),
      watch: (prefix, from, listener) => {
        this.#listener = listener;
        return inner.watch(prefix, from, listener);
      },
      currentRevision: () => inner.currentRevision(),
      grantLease: (ttl) => inner.grantLease(ttl),
      revokeLease: (id) => inner.revokeLease(id),
      compact: (revision) => inner.compact(revision),
      [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
    };
  }

  cut(code: 'Unavailable' | 'Compacted'): void {
    this.#listener?.onError(new StoreError(code, 'cut'));
  }

  release(): void {
    for (const go of this.held?.splice(0) ?? []) go();
    this.held = undefined;
  }

  async #list(result: ListResult): Promise<ListResult> {
    this.lists++;
    if (this.failing > 0) {
      this.failing--;
      throw new StoreError('Unavailable', 'refused');
    }
    const { held } = this;
    if (held) await new Promise<void>((resolve) => held.push(resolve));
    return result;
  }
}

const everything: Selection = {
  namespace: '',
  name: undefined,
  labels: parseLabelSelector(''),
  fields: parseFieldSelector(''),
  selectsAll: true,
  matches: () => true,
  query: { namespace: '' },
  scope: { kind: 'all' },
};

async function setUp(logger: Logger = silentLogger) {
  const clock = new VirtualClock();
  const inner = await createMemoryStore({ clock });
  const faults = new CutStore(inner);
  const { store } = faults;
  const feed = new ChangeFeed('/registry/', { store, clock, logger });
  const storage = new ResourceStorage(
    { prefix: '/registry/pods/', namespaced: true, format: new ObjectFormat('v1', 'Pod'), indexedFields: {} },
    { store, feed, leases: new SharedLeases(store, clock), clock, logger },
  );
  await feed.start();
  await storage.cache.load();
  /** Revision → the keys written under it, recorded before the store notifies its watchers. */
  const written = new Map<number, string>();
  const put = async (name: string) => {
    const value = new TextEncoder().encode(JSON.stringify({ metadata: { name, namespace: 'a' } }));
    const key = `/registry/pods/a/${name}`;
    const next = (await inner.currentRevision()) + 1;
    written.set(next, name);
    const { revision } = await inner.transact({ compare: [], operations: [{ kind: 'put', key, value }] });
    expect(revision).toBe(next);
    return revision;
  };
  const gap = async () => {
    await inner.compact(await inner.currentRevision()).catch(() => undefined);
    faults.cut('Compacted');
  };
  return { clock, inner, faults, feed, storage, written, put, gap };
}

type SetUp = Awaited<ReturnType<typeof setUp>>;

/** A watcher that behaves like an informer: it resumes at the last revision, and lists again when that has expired. */
class Follower {
  readonly #set: SetUp;
  readonly problems: string[] = [];
  /** Number of lists. */
  lists = 0;
  /** Its state: all writes up to `last`. */
  last = 0;
  #session: WatchSession | undefined;
  #stopped = false;

  constructor(set: SetUp) {
    this.#set = set;
  }

  async list(): Promise<void> {
    const { storage, inner, clock } = this.#set;
    while (!this.#stopped) {
      if (await storage.isFresh(await inner.currentRevision())) {
        this.last = storage.cache.revision;
        this.lists++;
        this.#checkState();
        return this.#connect();
      }
      await new Promise<void>((resolve) => clock.schedule(500, resolve));
    }
  }

  reconnect(): void {
    this.#session?.end();
  }

  stop(): void {
    this.#stopped = true;
    this.#session?.end();
  }

  #checkState(): void {
    const { storage, written } = this.#set;
    const names = new Set([...written].filter(([revision]) => revision <= this.last).map(([, name]) => name));
    const listed = storage.cache.list({ namespace: '' }).map(({ object }) => object.metadata.name);
    if (listed.toSorted().join() !== [...names].toSorted().join())
      this.problems.push(`a list at ${this.last} has ${listed} instead of ${[...names]}`);
  }

  #connect(): void {
    if (this.#stopped) return;
    const { storage, clock } = this.#set;
    let hasExpired = false;
    const outlet: EventOutlet = {
      send: (_type, event) => this.#see(event.revision, true),
      sendInitial: () => [],
      sendBookmark: (revision) => this.#see(revision, false),
      sendError: (error) => {
        hasExpired = reasonOf(error) === 'Expired';
        if (!hasExpired) this.problems.push(String(error));
      },
      end: () => queueMicrotask(() => (hasExpired ? void this.list() : this.#connect())),
    };
    this.#session = new WatchSession(
      { start: { kind: 'after', revision: this.last }, selection: everything, timeoutMs: 300_000, bookmarks: true },
      {
        cache: storage.cache,
        clock,
        budget: new TimeBudget(clock),
        bookmarkTicks: new SharedTicks(clock, bookmarkEveryMs),
      },
      outlet,
    );
    this.#session.start();
  }

  /** An event, or a bookmark: everything up to `revision` has been sent. */
  #see(revision: number, isEvent: boolean): boolean {
    if (isEvent && revision <= this.last) this.problems.push(`${revision} came after ${this.last}`);
    for (let missed = this.last + 1; missed < revision + (isEvent ? 0 : 1); missed++)
      if (this.#set.written.has(missed)) this.problems.push(`${missed} was missed before ${revision}`);
    this.last = Math.max(this.last, revision);
    return true;
  }
}

describe('watches across gaps in the feed', () => {
  test('a client that reconnects before the reload has ended receives the writes of the gap', async () => {
    const set = await setUp();
    const { clock, faults, put, gap } = set;
    await put('a');
    const follower = new Follower(set);
    await follower.list();
    await gap();
    faults.held = [];
    const missed = await put('b');
    await clock.advance(2_000);
    faults.release();
    await clock.advance(10_000);
    expect(follower.problems).toEqual([]);
    expect(follower.last).toBeGreaterThanOrEqual(missed);
    follower.stop();
  });

  test('a watch that ends without a compaction resumes: no reader has to list again', async () => {
    const set = await setUp();
    const { clock, faults, put } = set;
    const follower = new Follower(set);
    await follower.list();
    const { lists } = faults;
    faults.cut('Unavailable');
    const revision = await put('a');
    await clock.advance(1_000);
    expect({ last: follower.last, read: follower.lists, lists: faults.lists }).toEqual({
      last: revision,
      read: 1,
      lists,
    });
    follower.stop();
  });

  test('a list that was read ahead of the feed is at its own revision', async () => {
    const { clock, faults, storage, put, gap, feed } = await setUp();
    faults.held = [];
    await gap();
    await clock.advance(1_000);
    faults.cut('Unavailable');
    faults.release();
    const revision = await put('ahead');
    await storage.cache.load();
    expect({ feed: feed.revision, cache: storage.cache.revision }).toEqual({ feed: revision - 1, cache: revision });
    await clock.advance(10_000);
    expect(storage.cache.list({ namespace: '' }).map(({ object }) => object.metadata.name)).toEqual(['ahead']);
    expect(storage.cache.revision).toBe(feed.revision);
  });

  test('of two gaps the newest load wins, and there is one reload', async () => {
    const { clock, faults, storage, put, gap, feed } = await setUp();
    faults.held = [];
    await gap();
    await clock.advance(1_000);
    const first = faults.held;
    faults.held = [];
    await put('late');
    await gap();
    await clock.advance(2_000);
    for (const go of first) go();
    await clock.settle();
    expect(storage.cache.loading).toBeDefined();
    faults.release();
    await clock.settle();
    expect(storage.cache.loading).toBeUndefined();
    expect(storage.cache.list({ namespace: '' }).map(({ object }) => object.metadata.name)).toEqual(['late']);
    expect(storage.cache.revision).toBe(feed.revision);
  });

  test('a gap at any moment of a reload is covered, also in the steps in which the reload ends', async () => {
    for (let steps = 0; steps < 12; steps++) {
      const { clock, faults, storage, put, feed } = await setUp();
      faults.held = [];
      storage.cache.onGap();
      await clock.settle();
      faults.release();
      for (let step = 0; step < steps; step++) await Promise.resolve();
      storage.cache.onGap();
      await clock.settle();
      await put('later');
      expect([steps, storage.cache.loading, storage.cache.size]).toEqual([steps, undefined, 1]);
      expect(storage.cache.revision).toBe(feed.revision);
    }
  });

  test('an unreadable event during a reload starts another list, and nothing is lost meanwhile', async () => {
    const { clock, faults, storage, put, feed } = await setUp();
    faults.held = [];
    storage.cache.onGap();
    await clock.settle();
    const encrypted = { key: '/registry/pods/a/x', createRevision: 9, modRevision: 9, version: 1, lease: 0 };
    const problem = new Error('no key decrypts it');
    const keyValue = { ...encrypted, value: new Uint8Array() };
    storage.cache.onEvents([{ type: 'put', keyValue, problem }], 9);
    faults.release();
    await clock.settle();
    const before = storage.cache.revision;
    await put('during-the-delay');
    expect([storage.cache.loading !== undefined, storage.cache.revision]).toEqual([true, before]);
    faults.held = [];
    await clock.advance(1_000);
    await put('during-the-list');
    faults.release();
    await clock.settle();
    const names = storage.cache.list({ namespace: '' }).map(({ object }) => object.metadata.name);
    expect(names).toEqual(['during-the-delay', 'during-the-list']);
    expect([storage.cache.loading, storage.cache.revision]).toEqual([undefined, feed.revision]);
  });

  test('a feed that was closed while it waited does not restart', async () => {
    const { clock, faults, feed } = await setUp();
    faults.cut('Compacted');
    await clock.advance(999);
    feed[Symbol.dispose]();
    await clock.advance(60_000);
    expect({ isOpen: feed.isOpen, pending: clock.pending }).toEqual({ isOpen: false, pending: 0 });
  });

  test('failed reloads are logged, retried less and less often, and stop when the feed is closed', async () => {
    const logged: string[] = [];
    const logger: Logger = { ...silentLogger, error: (message) => void logged.push(message), with: () => logger };
    const { clock, faults, feed, gap } = await setUp(logger);
    const before = faults.lists;
    faults.failing = Number.POSITIVE_INFINITY;
    await gap();
    await clock.advance(60_000);
    const tries = faults.lists - before;
    expect(tries).toBeGreaterThan(3);
    expect(tries).toBeLessThan(10);
    expect(logged.filter((message) => message === 'a watch cache could not be filled')).toHaveLength(tries);
    feed[Symbol.dispose]();
    await clock.advance(600_000);
    expect(faults.lists - before).toBe(tries);
    expect(clock.pending).toBe(0);
  });

  test('in any sequence of faults, no watcher misses a revision or gets one twice', async () => {
    const step = fc.constantFrom('put', 'put', 'put', 'cut', 'gap', 'hold', 'release', 'fail', 'wait', 'reconnect');
    const run = async (steps: readonly string[]) => {
      const set = await setUp();
      const { clock, faults, put, gap, feed } = set;
      const followers = [new Follower(set), new Follower(set)];
      for (const follower of followers) await follower.list();
      const actions: Record<string, () => unknown> = {
        put: () => put(`p${set.written.size}`),
        cut: () => faults.cut('Unavailable'),
        gap,
        hold: () => void (faults.held ??= []),
        release: () => faults.release(),
        fail: () => void faults.failing++,
        wait: () => clock.advance(1_500),
        reconnect: () => followers[0]?.reconnect(),
      };
      for (const name of steps) await actions[name]?.();
      faults.failing = 0;
      faults.release();
      await clock.advance(300_000);
      const problems = followers.flatMap((follower) => follower.problems);
      const newest = Math.max(0, ...set.written.keys());
      const behind = followers.filter(({ last }) => last < newest).length;
      for (const follower of followers) follower.stop();
      feed[Symbol.dispose]();
      return { problems, behind };
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        expect(await run(steps)).toEqual({ problems: [], behind: 0 });
      }),
      { numRuns: 500, endOnFailure: false },
    );
  });
});
