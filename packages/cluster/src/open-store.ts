import { join } from 'node:path';
import type { Activity, Clock, Logger, Millis } from '@coracle/base';
import type { EtcdTls } from '@coracle/platform-nodejs';
import { createMemoryStore, type Store } from '@coracle/store';

/** The storage backend. */
export type StoreChoice =
  | { readonly kind: 'memory' }
  /** A database in the data directory. */
  | { readonly kind: 'lmdb'; readonly dataDir: string }
  | {
      readonly kind: 'etcd';
      readonly endpoints: readonly string[];
      readonly tls?: EtcdTls;
      /** The prefix of its keys in etcd: `/registry` by default. */
      readonly root?: string;
    };

/** The store of some built-in resources, as `group/resource`. */
export interface StoreOverrideChoice {
  readonly resources: readonly string[];
  readonly store: StoreChoice;
}

/** Timeout of the first response of etcd. */
const firstAnswerMs: Millis = 4_000;

/** Opens the store of a cluster. Whatever is not chosen is not even loaded. */
export async function openStore(
  choice: StoreChoice,
  deps: { readonly clock: Clock; readonly activity: Activity; readonly logger?: Logger },
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
      // At the start a missing store must be reported soon; later it may take longer to return.
      await using first = await createEtcdStore({ ...where, timeoutMs: firstAnswerMs });
      await first.get('/registry/health');
      return createEtcdStore(where);
    }
  }
}
