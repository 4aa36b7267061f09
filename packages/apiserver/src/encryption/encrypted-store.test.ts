import { Deferred, VirtualClock } from '@coracle/base';
import { createMemoryStore, type Store } from '@coracle/store';
import { expect, test } from 'vitest';
import { encryptedStore } from './encrypted-store.js';
import { identity, TransformerChain, type ValueTransformer } from './value-transformer.js';

const transformer = (name: string): ValueTransformer => ({ ...identity, prefix: `k8s:enc:test:v1:${name}:` });
const put = (store: Store, key: string) =>
  store.transact({ compare: [], operations: [{ kind: 'put', key, value: Uint8Array.of(1) }] });

test('a value that was on its way when the keys changed counts as written with the old one', async () => {
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

/** The methods of a store, which may be taken apart. */
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
