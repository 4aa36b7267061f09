import { join } from 'node:path';
import type { Activity, Clock, Millis } from '@coracle/base';
import type { EtcdTls } from '@coracle/platform-nodejs';
import { createMemoryStore, type Store } from '@coracle/store';

/** Where objects are kept. */
export type StoreChoice =
  | { readonly kind: 'memory' }
  /** A database in the data directory. */
  | { readonly kind: 'lmdb'; readonly dataDir: string }
  | {
      readonly kind: 'etcd';
      readonly endpoints: readonly string[];
      readonly tls?: EtcdTls;
      /** Below which its keys stand in etcd: `/registry` unless stated. */
      readonly root?: string;
    };

/** How long etcd may take to answer for the first time. */
const firstAnswerMs: Millis = 4_000;

/** Opens the store of a cluster. Whatever is not chosen is not even loaded. */
export async function openStore(
  choice: StoreChoice,
  deps: { readonly clock: Clock; readonly activity: Activity },
): Promise<Store> {
  switch (choice.kind) {
    case 'memory':
      return createMemoryStore(deps);
    case 'lmdb': {
      const { createLmdbStore } = await import('@coracle/platform-nodejs');
      return createLmdbStore({ ...deps, path: join(choice.dataDir, 'db') });
    }
    case 'etcd': {
      const { createEtcdStore } = await import('@coracle/platform-nodejs');
      const { kind: _kind, ...place } = choice;
      const where = { ...place, clock: deps.clock };
      // A user who starts a cluster wants to know soon that its store is not there; later it may take its time to come
      // back.
      await using first = await createEtcdStore({ ...where, timeoutMs: firstAnswerMs });
      await first.get('/registry/health');
      return createEtcdStore(where);
    }
  }
}
