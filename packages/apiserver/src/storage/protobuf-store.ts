import { schemaOfKind } from '@coracle/api';
import { encodeKind, parseApiVersion } from '@coracle/apimachinery';
import type { Operation, Revision, Store, StoreEvent, WatchListener } from '@coracle/store';
import { StoredObject } from './stored-object.js';

/**
 * Encodes objects as kube-apiserver does: in protobuf, with its magic prefix of four bytes. Custom resources stay JSON,
 * because they have no protobuf schema. JSON values are read too.
 */
export function protobufStore(store: Store): Store {
  const own = new OwnWrites();
  return {
    get: (key, options) => store.get(key, options),
    list: (prefix, options) => store.list(prefix, options),
    count: (prefix) => store.count(prefix),
    async transact({ compare, operations }) {
      const result = await store.transact({ compare, operations: operations.map(inProtobuf) });
      if (result.succeeded) own.remember(operations, result.revision);
      return result;
    },
    watch: (prefix, from, listener) => store.watch(prefix, from, own.tell(listener)),
    currentRevision: () => store.currentRevision(),
    grantLease: (ttlSeconds) => store.grantLease(ttlSeconds),
    revokeLease: (id) => store.revokeLease(id),
    compact: (revision) => store.compact(revision),
    ...(store.isStale && { isStale: (key: string) => store.isStale?.(key) ?? false }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

function inProtobuf(operation: Operation): Operation {
  if (operation.kind !== 'put' || !(operation.decoded instanceof StoredObject)) return operation;
  const { object, format } = operation.decoded;
  const version = parseApiVersion(format.apiVersion);
  const schema = version && schemaOfKind({ ...version, kind: format.kind });
  return schema ? { ...operation, value: encodeKind(object, schema) } : operation;
}

/** Writes of this process that the watch has not delivered yet: these need not be decoded. */
class OwnWrites {
  readonly #pending = new Map<Revision, Map<string, StoredObject>>();
  #revision: Revision = 0;

  remember(operations: readonly Operation[], revision: Revision): void {
    // The listener that is notified first has decoded it by then.
    if (revision <= this.#revision) return;
    const written = new Map<string, StoredObject>();
    for (const operation of operations) {
      if (operation.kind === 'put' && operation.decoded instanceof StoredObject)
        written.set(operation.key, operation.decoded);
    }
    if (written.size > 0) this.#pending.set(revision, written);
  }

  tell(listener: WatchListener): WatchListener {
    return {
      onEvents: (events, revision) => {
        this.#revision = revision;
        listener.onEvents(
          this.#pending.size === 0 ? events : events.map((event) => this.#withDecoded(event)),
          revision,
        );
        this.#forget();
      },
      onProgress: (revision) => {
        this.#revision = revision;
        this.#forget();
        listener.onProgress?.(revision);
      },
      onError: (error) => {
        this.#pending.clear();
        listener.onError(error);
      },
    };
  }

  #withDecoded(event: StoreEvent): StoreEvent {
    const decoded = this.#pending.get(event.keyValue.modRevision)?.get(event.keyValue.key);
    return decoded ? { ...event, keyValue: { ...event.keyValue, decoded } } : event;
  }

  #forget(): void {
    for (const revision of this.#pending.keys()) if (revision <= this.#revision) this.#pending.delete(revision);
  }
}
