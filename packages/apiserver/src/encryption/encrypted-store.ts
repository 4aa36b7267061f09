import { concatBytes, type MaybePromise } from '@coracle/base';
import type {
  KeyValue,
  ListResult,
  Operation,
  Store,
  StoreEvent,
  Transaction,
  TransactionResult,
  WatchListener,
} from '@coracle/store';
import type { TransformerChain, ValueTransformer } from './value-transformer.js';

/**
 * The transformers for a key's values; `undefined` for keys that are not encrypted. They may change while the store is
 * open.
 */
export type TransformersOf = (key: string) => TransformerChain | undefined;

/**
 * A store that encrypts values on write and decrypts them on read. Decoded objects that a writer passes along with a
 * value are not encrypted: they never leave the process.
 */
export function encryptedStore(store: Store, transformersOf: TransformersOf): Store {
  const values = new EncryptedValues(transformersOf);
  return {
    get: async (key, options) => {
      const found = await store.get(key, options);
      return found && (await values.decrypt(found));
    },
    list: async (prefix, options) => await values.decryptList(await store.list(prefix, options)),
    count: (prefix) => store.count(prefix),
    transact: (transaction) =>
      values.concern(transaction) ? transactEncrypted(store, values, transaction) : store.transact(transaction),
    watch: (prefix, from, listener) => store.watch(prefix, from, values.listener(listener)),
    currentRevision: () => store.currentRevision(),
    grantLease: (ttlSeconds) => store.grantLease(ttlSeconds),
    revokeLease: (id) => store.revokeLease(id),
    compact: (revision) => store.compact(revision),
    ...(store.sizeBytes && { sizeBytes: async () => await store.sizeBytes?.() }),
    isStale: (key) => values.isStale(key),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

async function transactEncrypted(
  store: Store,
  values: EncryptedValues,
  { compare, operations }: Transaction,
): Promise<TransactionResult> {
  const encrypted = await values.encryptAll(operations);
  const result = await store.transact({ compare, operations: encrypted.operations });
  if (result.succeeded) {
    values.written(encrypted.prefixes);
    return result;
  }
  const current = await Promise.all(result.current.map((one) => one && values.decrypt(one)));
  return { ...result, current };
}

interface EncryptedOperations {
  readonly operations: readonly Operation[];
  /** The current prefix of values, by key. */
  readonly prefixes: ReadonlyMap<string, string>;
}

class EncryptedValues {
  readonly #transformersOf: TransformersOf;
  /** The prefix of the last written value, by key. */
  readonly #writtenWith = new Map<string, string>();
  readonly #prefixes = new Map<string, Uint8Array>();

  constructor(transformersOf: TransformersOf) {
    this.#transformersOf = transformersOf;
  }

  /** Whether a value would be written differently now. */
  isStale(key: string): boolean {
    const writtenWith = this.#writtenWith.get(key);
    return writtenWith !== undefined && writtenWith !== this.#transformersOf(key)?.writer.prefix;
  }

  /** The transformers of each key at the time of the request: they may change before the response. */
  written(prefixes: ReadonlyMap<string, string>): void {
    for (const [key, prefix] of prefixes) this.#writtenWith.set(key, prefix);
  }

  /** Whether any of its values is encrypted. Most transactions have none: these pass unchanged. */
  concern({ compare, operations }: Transaction): boolean {
    return (
      operations.some(({ key }) => this.#transformersOf(key)) || compare.some(({ key }) => this.#transformersOf(key))
    );
  }

  async encryptAll(operations: readonly Operation[]): Promise<EncryptedOperations> {
    const prefixes = new Map<string, string>();
    const encrypted = await Promise.all(operations.map((operation) => this.#encrypt(operation, prefixes)));
    return { operations: encrypted, prefixes };
  }

  async #encrypt(operation: Operation, prefixes: Map<string, string>): Promise<Operation> {
    const writer = operation.kind === 'put' ? this.#transformersOf(operation.key)?.writer : undefined;
    if (operation.kind !== 'put' || !writer) return operation;
    prefixes.set(operation.key, writer.prefix);
    const cipher = await writer.encrypt(operation.value, operation.key);
    return { ...operation, value: writer.prefix === '' ? cipher : concatBytes([this.#prefixOf(writer), cipher]) };
  }

  decrypt(keyValue: KeyValue): MaybePromise<KeyValue> {
    const { key, value } = keyValue;
    const transformers = this.#transformersOf(key);
    if (!transformers || keyValue.decoded !== undefined || value.length === 0) return keyValue;
    const { transformer, cipher } = transformers.readerOf(value, key);
    this.#writtenWith.set(key, transformer.prefix);
    const plain = transformer.decrypt(cipher, key);
    return plain instanceof Promise ? plain.then((value) => ({ ...keyValue, value })) : { ...keyValue, value: plain };
  }

  async decryptList(result: ListResult): Promise<ListResult> {
    const items = result.items.map((item) => this.decrypt(item));
    return { ...result, items: await Promise.all(items) };
  }

  /**
   * Emits events in order, also when decryption of a value is asynchronous. Values that cannot be decrypted are
   * reported as such, so that a watch of the whole store continues for the others.
   */
  listener(listener: WatchListener): WatchListener {
    let waiting: Promise<void> | undefined;
    const fail = (error: unknown) => listener.onError(error as Error);
    const waitFor = (work: Promise<void>) => {
      const mine: Promise<void> = work.catch(fail).then(() => {
        if (waiting === mine) waiting = undefined;
      });
      waiting = mine;
    };
    const inTurn = (tell: () => MaybePromise<void>) => {
      if (waiting) {
        waitFor(waiting.then(tell));
        return;
      }
      try {
        const delivery = tell();
        if (delivery instanceof Promise) waitFor(delivery);
      } catch (error) {
        fail(error);
      }
    };
    return {
      onEvents: (events, revision) =>
        inTurn(() => {
          if (!events.some(({ keyValue: { key } }) => this.#writtenWith.has(key) || this.#transformersOf(key))) {
            listener.onEvents(events, revision);
            return undefined;
          }
          const plain = events.map((event) => this.#decryptEvent(event));
          if (!plain.some((event) => event instanceof Promise)) {
            listener.onEvents(plain as StoreEvent[], revision);
            return undefined;
          }
          return Promise.all(plain).then((all) => listener.onEvents(all, revision));
        }),
      onProgress: (revision) => inTurn(() => listener.onProgress?.(revision)),
      onError: (error) => inTurn(() => listener.onError(error)),
    };
  }

  #decryptEvent(event: StoreEvent): MaybePromise<StoreEvent> {
    if (event.type === 'delete') {
      this.#writtenWith.delete(event.keyValue.key);
      return event;
    }
    const unreadable = (problem: unknown): StoreEvent => ({ ...event, problem });
    try {
      const keyValue = this.decrypt(event.keyValue);
      return keyValue instanceof Promise
        ? keyValue.then((plain) => ({ ...event, keyValue: plain }), unreadable)
        : { ...event, keyValue };
    } catch (problem) {
      return unreadable(problem);
    }
  }

  #prefixOf({ prefix }: ValueTransformer): Uint8Array {
    let bytes = this.#prefixes.get(prefix);
    if (!bytes) {
      bytes = new TextEncoder().encode(prefix);
      this.#prefixes.set(prefix, bytes);
    }
    return bytes;
  }
}
