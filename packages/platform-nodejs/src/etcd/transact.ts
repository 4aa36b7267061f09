import type { KeyValue, Transaction, TransactionResult } from '@coracle/store';
import type { EtcdConnection } from './connection.js';
import { isDoubtful } from './errors.js';
import type { Keys } from './keys.js';
import { compareTarget, methods, type RequestOp, type TxnRequest, type TxnResponse } from './messages.js';

export interface TransactContext {
  readonly connection: Pick<EtcdConnection, 'call'>;
  readonly keys: Keys;
}

/**
 * Executes a transaction exactly once, with any failures of the connection.
 *
 * A transaction that compares every key that it writes cannot happen twice: the first time changes what it compares.
 * So it may be repeated after an unclear failure; and if it then fails, the history of its keys shows whether the first
 * attempt was executed. Any other transaction is repeated only if it certainly was not.
 */
export async function transact(context: TransactContext, transaction: Transaction): Promise<TransactionResult> {
  const request = requestOf(context.keys, transaction);
  if (transaction.operations.length === 0 || !isGuarded(transaction)) {
    return resultOf(context.keys, await context.connection.call(methods.txn, request, 'fail'));
  }
  try {
    return resultOf(context.keys, await context.connection.call(methods.txn, request, 'fail'));
  } catch (error) {
    if (!isDoubtful(error)) throw error;
    const result = resultOf(context.keys, await context.connection.call(methods.txn, request, 'retry'));
    return result.succeeded ? result : afterDoubt(context, transaction, result);
  }
}

function requestOf(keys: Keys, { compare, operations }: Transaction): TxnRequest {
  return {
    compare: compare.map(({ key, modRevision }) => ({
      target: compareTarget.modRevision,
      key: keys.bytes(key),
      modRevision,
    })),
    success: operations.map((operation): RequestOp => {
      const key = keys.bytes(operation.key);
      return operation.kind === 'delete'
        ? { deleteRange: { key } }
        : { put: { key, value: operation.value, lease: operation.lease } };
    }),
    failure: compare.map(({ key }) => ({ range: { key: keys.bytes(key) } })),
  };
}

function resultOf(keys: Keys, { header, succeeded = false, responses = [] }: TxnResponse): TransactionResult {
  const current = succeeded
    ? []
    : responses.map(({ range }) => {
        const found = range?.kvs?.[0];
        return found && keys.keyValue(found);
      });
  return { succeeded, revision: header?.revision ?? 0, current };
}

function isGuarded({ compare, operations }: Transaction): boolean {
  return operations.every(({ key }) => compare.some((one) => one.key === key));
}

/** The second attempt failed: because another write came first, or because the first attempt was executed. */
async function afterDoubt(
  context: TransactContext,
  { compare, operations }: Transaction,
  failed: TransactionResult,
): Promise<TransactionResult> {
  for (const operation of operations) {
    const index = compare.findIndex((one) => one.key === operation.key);
    const expected = compare[index]?.modRevision ?? 0;
    const current = failed.current[index];
    if (operation.kind === 'delete') {
      // The key is deleted as requested; whether by this request cannot be determined.
      if (expected !== 0 && !current) return { succeeded: true, revision: failed.revision, current: [] };
      continue;
    }
    const ours = await findWrite(context, { current, expected, value: operation.value });
    if (ours !== undefined) return { succeeded: true, revision: ours, current: [] };
  }
  return failed;
}

/**
 * Walks back through a key's history to the first write on top of `expected`; returns its revision if it wrote our
 * value.
 */
async function findWrite(
  { connection, keys }: TransactContext,
  { current, expected, value }: { current: KeyValue | undefined; expected: number; value: Uint8Array },
): Promise<number | undefined> {
  let first: KeyValue | undefined;
  for (let found = current; found && found.modRevision > expected; ) {
    first = found;
    const request = { key: keys.bytes(found.key), revision: found.modRevision - 1 };
    const { kvs } = await connection.call(methods.range, request);
    found = kvs?.[0] && keys.keyValue(kvs[0]);
  }
  return first && Buffer.from(first.value).equals(value) ? first.modRevision : undefined;
}
