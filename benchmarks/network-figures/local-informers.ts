import type { InformerHandler } from '@coracle/client';
import { IndexedStore } from '@coracle/client';

/** Informers without a server: what is put is told. */
export class LocalInformers {
  readonly #stores = new Map<unknown, { store: IndexedStore<never>; handlers: InformerHandler<never>[] }>();
  for(ref: unknown) {
    const known = this.#stores.get(ref) ?? { store: new IndexedStore<never>(), handlers: [] };
    this.#stores.set(ref, known);
    const { store, handlers } = known;
    return Object.assign(store, {
      hasSynced: true,
      state: 'following',
      synced: async () => undefined,
      addHandler: (handler: InformerHandler<never>) => {
        handlers.push(handler);
        return { [Symbol.dispose]() {} };
      },
    });
  }
  put(ref: unknown, object: object): void {
    const { store, handlers } = this.#stores.get(ref) ?? { store: undefined, handlers: [] };
    const previous = store?.put(object as never);
    for (const handler of handlers)
      handler((previous ? { type: 'updated', object, previous } : { type: 'added', object, initial: true }) as never);
  }
  synced = async () => undefined;
  start(): void {}
  async [Symbol.asyncDispose]() {}
}
