import { Deferred, VirtualClock } from '@coracle/base';
import { createMemoryStore, type Store, type StoreEvent, type Transaction } from '@coracle/store';
import { expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';
import { encryptedStore } from './encrypted-store.js';
import { identity, TransformerChain, type ValueTransformer } from './value-transformer.js';

const transformer = (name: string): ValueTransformer => ({ ...identity, prefix: `k8s:enc:test:v1:${name}:` });
const put = (store: Store, key: string) =>
  store.transact({ compare: [], operations: [{ kind: 'put', key, value: Uint8Array.of(1) }] });

test('a value that was being written when the keys changed counts as written with the old one', async () => {
  const inner = await createMemoryStore({ clock: new VirtualClock() });
  const held = new Deferred<void>();
  const slow: Store = {
    ...bound(inner),
    transact: async (transaction) => {
      const result = await inner.transact(transaction);
      await held.promise;
      return result;
    },
  };
  let chain = new TransformerChain([transformer('old')]);
  const store = encryptedStore(slow, () => chain);
  const write = put(store, '/a');
  await inner.currentRevision();
  chain = new TransformerChain([transformer('new'), transformer('old')]);
  held.resolve();
  await write;
  expect(store.isStale?.('/a')).toBe(true);
  await put(store, '/a');
  expect(store.isStale?.('/a')).toBe(false);
});

test('transactions and events of keys that are not encrypted pass as they are', async () => {
  const inner = await createMemoryStore({ clock: new VirtualClock() });
  const transactions: Transaction[] = [];
  const recorded: Store = {
    ...bound(inner),
    transact: (transaction) => {
      transactions.push(transaction);
      return inner.transact(transaction);
    },
  };
  const chain = new TransformerChain([transformer('key')]);
  const store = encryptedStore(recorded, (key) => (key.startsWith('/secret/') ? chain : undefined));
  const [innerEvents, events]: [StoreEvent[], StoreEvent[]] = [[], []];
  const listener = (received: StoreEvent[]) => ({
    onEvents: (batch: readonly StoreEvent[]) => void received.push(...batch),
    onError: () => {},
  });
  inner.watch('/', 1, listener(innerEvents));
  store.watch('/', 1, listener(events));
  const plain: Transaction = { compare: [], operations: [{ kind: 'put', key: '/plain/a', value: Uint8Array.of(1) }] };
  await store.transact(plain);
  await put(store, '/secret/a');
  expect(transactions[0]).toBe(plain);
  expect(innerEvents).toHaveLength(2);
  expect(events[0]).toBe(innerEvents[0]);
  expect(innerEvents[1]?.keyValue.value).not.toEqual(Uint8Array.of(1));
  expect(events[1]?.keyValue.value).toEqual(Uint8Array.of(1));
});

test('a failed transaction returns the decrypted value of a compared key, also next to an unencrypted write', async () => {
  const inner = await createMemoryStore({ clock: new VirtualClock() });
  const chain = new TransformerChain([transformer('key')]);
  const store = encryptedStore(inner, (key) => (key.startsWith('/secret/') ? chain : undefined));
  await put(store, '/secret/a');
  const { succeeded, current } = await store.transact({
    compare: [{ key: '/secret/a', modRevision: 0 }],
    operations: [{ kind: 'put', key: '/plain/a', value: Uint8Array.of(2) }],
  });
  expect(succeeded).toBe(false);
  expect(current[0]?.value).toEqual(Uint8Array.of(1));
});

test('a value that no key decrypts blocks its own resource, until there is a key', async () => {
  const clock = new VirtualClock();
  const inner = await createMemoryStore({ clock });
  let chain = new TransformerChain([transformer('known')]);
  const store = encryptedStore(inner, (key) => (key.startsWith('/registry/secrets/') ? chain : undefined));
  const { call } = await startTestServer({ store, clock });
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'default' } };
  const value = new TextEncoder().encode(`k8s:enc:test:v1:later:${JSON.stringify(secret)}`);
  const operations = [{ kind: 'put' as const, key: '/registry/secrets/default/s', value }];
  await inner.transact({ compare: [], operations });
  await call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'c' } });
  const { status, body } = await call('GET', '/api/v1/namespaces/default/configmaps');
  expect([status, body.items.length]).toEqual([200, 1]);
  chain = new TransformerChain([transformer('known'), transformer('later')]);
  await clock.advance(60_000);
  const secrets = await call('GET', '/api/v1/namespaces/default/secrets');
  expect([secrets.status, secrets.body.items[0]?.metadata.name]).toEqual([200, 's']);
});

/** The methods of a store, which callers may detach from it. */
function bound(store: Store): Store {
  return {
    get: (key, options) => store.get(key, options),
    list: (prefix, options) => store.list(prefix, options),
    count: (prefix) => store.count(prefix),
    transact: (transaction) => store.transact(transaction),
    watch: (prefix, from, listener) => store.watch(prefix, from, listener),
    currentRevision: () => store.currentRevision(),
    grantLease: (ttlSeconds) => store.grantLease(ttlSeconds),
    revokeLease: (id) => store.revokeLease(id),
    compact: (revision) => store.compact(revision),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
