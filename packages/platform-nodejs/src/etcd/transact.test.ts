import { VirtualClock } from '@coracle/base';
import { createMemoryStore, type Operation, type Store, StoreError, type Transaction } from '@coracle/store';
import { status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import type { EtcdConnection } from './connection.js';
import { Keys } from './keys.js';
import { methods, type RangeRequest, type TxnRequest } from './messages.js';
import { type TransactContext, transact } from './transact.js';

const text = (bytes: Uint8Array | undefined) => (bytes ? Buffer.from(bytes).toString() : '');
const put = (key: string, value: string): Operation => ({ kind: 'put', key, value: Buffer.from(value) });

/** Responses of etcd from a store in memory, over a connection that breaks at the first transaction. */
async function brokenLine(
  breaks: 'before' | 'after' | 'never',
  meanwhile: (store: Store) => Promise<unknown> = async () => {},
) {
  const store = await createMemoryStore({ clock: new VirtualClock() });
  let sent = 0;
  const call = async (method: unknown, request: unknown) => {
    if (method === methods.range) return range(store, request as RangeRequest);
    sent++;
    if (sent > 1 || breaks === 'never') return await txn(store, request as TxnRequest);
    if (breaks === 'after') await txn(store, request as TxnRequest);
    await meanwhile(store);
    const cause = Object.assign(new Error(), { code: status.UNAVAILABLE, details: 'Connection dropped' });
    throw new StoreError('Unavailable', 'etcd does not answer', { cause });
  };
  const context: TransactContext = { connection: { call } as Pick<EtcdConnection, 'call'>, keys: new Keys('') };
  return { store, context, sent: () => sent };
}

async function range(store: Store, { key, revision }: RangeRequest) {
  const found = await store.get(text(key), revision === undefined ? {} : { revision });
  return { kvs: found ? [{ ...found, key: Buffer.from(found.key) }] : [] };
}

async function txn(store: Store, { compare = [], success = [], failure = [] }: TxnRequest) {
  const transaction: Transaction = {
    compare: compare.map(({ key, modRevision = 0 }) => ({ key: text(key), modRevision })),
    operations: success.map(
      (operation): Operation =>
        operation.put
          ? put(text(operation.put.key), text(operation.put.value))
          : { kind: 'delete', key: text(operation.deleteRange?.key) },
    ),
  };
  const { succeeded, revision } = await store.transact(transaction);
  const ranges = await Promise.all(failure.map((operation) => range(store, operation.range ?? {})));
  return { header: { revision }, succeeded, responses: succeeded ? [] : ranges.map((answer) => ({ range: answer })) };
}

const create: Transaction = { compare: [{ key: '/a', modRevision: 0 }], operations: [put('/a', 'ours')] };

describe('a transaction whose response was lost', () => {
  test.each(['before', 'after'] as const)('is carried out once when the line broke %s it was', async (breaks) => {
    const { store, context } = await brokenLine(breaks);
    expect(await transact(context, create)).toMatchObject({ succeeded: true, revision: 2 });
    expect(await store.get('/a')).toMatchObject({ version: 1, modRevision: 2 });
    expect(await store.currentRevision()).toBe(2);
  });

  test('is known to have been carried out despite a later write', async () => {
    const { context } = await brokenLine('after', (store) =>
      store.transact({ compare: [], operations: [put('/a', 'theirs')] }),
    );
    expect(await transact(context, create)).toMatchObject({ succeeded: true, revision: 2 });
  });

  test('is known not to have been when another write came first', async () => {
    const { context } = await brokenLine('before', (store) =>
      store.transact({ compare: [], operations: [put('/a', 'theirs')] }),
    );
    const { succeeded, current } = await transact(context, create);
    expect({ succeeded, current: text(current[0]?.value) }).toEqual({ succeeded: false, current: 'theirs' });
  });

  test('that deletes has done so if the key is gone', async () => {
    const { store, context } = await brokenLine('after');
    const { revision } = await store.transact({ compare: [], operations: [put('/a', 'x')] });
    const remove: Transaction = {
      compare: [{ key: '/a', modRevision: revision }],
      operations: [{ kind: 'delete', key: '/a' }],
    };
    expect((await transact(context, remove)).succeeded).toBe(true);
    expect(await store.get('/a')).toBeUndefined();
  });

  test('is not sent again if it could happen twice', async () => {
    const { context, sent } = await brokenLine('after');
    const blind: Transaction = { compare: [], operations: [put('/a', 'x')] };
    await expect(transact(context, blind)).rejects.toSatisfy((error) => StoreError.is(error, 'Unavailable'));
    expect(sent()).toBe(1);
  });

  test('whose response arrived is not verified', async () => {
    const { context, sent } = await brokenLine('never');
    expect((await transact(context, create)).succeeded).toBe(true);
    expect((await transact(context, create)).succeeded).toBe(false);
    expect(sent()).toBe(2);
  });
});
