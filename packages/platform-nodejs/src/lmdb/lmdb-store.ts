import { createEmbeddedStore, type EmbeddedStoreOptions, type Store } from '@coracle/store';
import { LmdbBackend, type LmdbOptions } from './lmdb-backend.js';

/** Opens the store in a directory, or makes one there. */
export async function createLmdbStore(options: LmdbOptions & Omit<EmbeddedStoreOptions, 'backend'>): Promise<Store> {
  const { path, ...rest } = options;
  return createEmbeddedStore({ ...rest, backend: await LmdbBackend.open({ path }) });
}
