import { createEmbeddedStore, type EmbeddedStoreOptions, type Store } from '@coracle/store';
import type { LmdbOptions } from './lmdb-backend.js';

export type LmdbStoreOptions = LmdbOptions & Omit<EmbeddedStoreOptions, 'backend'>;

/** Opens the store in a directory, or creates one there. The native library is loaded only when it is used. */
export async function createLmdbStore({ path, logger, ...rest }: LmdbStoreOptions): Promise<Store> {
  const { LmdbBackend } = await import('./lmdb-backend.js');
  return createEmbeddedStore({ ...rest, backend: await LmdbBackend.open({ path, logger }) });
}
