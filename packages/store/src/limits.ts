import type { Transaction } from './store.js';
import { StoreError } from './store-error.js';

/** etcd's default limit of one request. */
export const maxTransactionBytes = 1.5 * 1024 * 1024;
/** etcd's default limit of operations in one transaction. */
export const maxOperations = 128;
/** Limit of key sizes: LMDB allows a little less than 2 kB. */
const maxKeyLength = 1024;

/**
 * Throws `TooLarge` for requests that etcd would reject, so that all stores behave the same; throws if a key occurs
 * twice.
 */
export function checkTransaction({ operations }: Transaction): void {
  if (operations.length > maxOperations) {
    throw new StoreError('TooLarge', `a transaction has at most ${maxOperations} operations, not ${operations.length}`);
  }
  let bytes = 0;
  for (const [index, operation] of operations.entries()) {
    bytes += operation.key.length + (operation.kind === 'put' ? operation.value.length : 0);
    if (operation.key.length > maxKeyLength) {
      throw new StoreError('TooLarge', `a key is at most ${maxKeyLength} characters long`);
    }
    for (let other = 0; other < index; other++) {
      if (operations[other]?.key === operation.key) {
        throw new TypeError(`a key may occur once in a transaction: ${operation.key}`);
      }
    }
  }
  if (bytes > maxTransactionBytes) {
    throw new StoreError('TooLarge', `a transaction is at most ${maxTransactionBytes} bytes, not ${bytes}`);
  }
}
