import type { StoreOverride } from '@coracle/apiserver';
import type { Activity, Clock, DisposableStack, Logger } from '@coracle/base';
import { Compactor, type Store } from '@coracle/store';
import type { ClusterOptions } from './cluster-options.js';
import { encryptStore, ownEncryptionConfig } from './encryption.js';
import { openStore, type StoreChoice } from './open-store.js';

interface StoreContext {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly activity: Activity;
  /** What has a life is noted here. */
  readonly parts: DisposableStack;
  readonly wrap?: ((store: Store) => Store) | undefined;
}

export interface ClusterStores {
  readonly store: Store;
  readonly storeKind: StoreChoice['kind'];
  readonly storeOverrides: readonly StoreOverride[];
}

/** The stores of a cluster, encrypted at rest as configured. Their history is cut from time to time. */
export async function openStores(options: ClusterOptions, context: StoreContext): Promise<ClusterStores> {
  const choice = options.store ?? { kind: 'memory' };
  const store = await openOne(options, context, choice);
  return { store, storeKind: choice.kind, storeOverrides: await openOverrides(options, context) };
}

async function openOverrides(options: ClusterOptions, context: StoreContext): Promise<StoreOverride[]> {
  const opened = (options.storeOverrides ?? []).map(async ({ resources, store: choice }) => {
    const store = await openOne(options, context, choice);
    return resources.map((name) => {
      const [group = '', resource = ''] = name.split('/');
      return { group, resource, store };
    });
  });
  // Those that open after a failure are to be closed too.
  await Promise.allSettled(opened);
  return (await Promise.all(opened)).flat();
}

async function openOne(options: ClusterOptions, context: StoreContext, choice: StoreChoice): Promise<Store> {
  const { logger, parts, wrap } = context;
  const opened = parts.use(await openStore(choice, context));
  const store = await encryptedAtRest(options, wrap?.(opened) ?? opened, { logger, parts });
  compactPeriodically(options, context, { store, kind: choice.kind });
  return store;
}

function compactPeriodically(
  { compactionIntervalMs, historyMs }: ClusterOptions,
  { clock, logger, parts }: StoreContext,
  { store, kind }: { readonly store: Store; readonly kind: StoreChoice['kind'] },
): void {
  if (compactionIntervalMs === 0) return;
  parts.use(
    new Compactor({
      store,
      clock,
      logger,
      shared: kind === 'etcd',
      ...(compactionIntervalMs && { intervalMs: compactionIntervalMs }),
      ...(historyMs && { keepMs: historyMs }),
    }),
  );
}

/** The store with what is encrypted in it. In a data directory secrets are, in etcd what the file says. */
async function encryptedAtRest(
  { encryptionConfigFile, reloadsEncryption = false, store: choice }: ClusterOptions,
  store: Store,
  deps: { readonly logger: Logger; readonly parts: DisposableStack },
): Promise<Store> {
  const own = choice?.kind === 'lmdb' ? () => ownEncryptionConfig(choice.dataDir) : undefined;
  const file = encryptionConfigFile ?? (await own?.());
  return file === undefined ? store : await encryptStore(store, { file, reloads: reloadsEncryption, ...deps });
}
