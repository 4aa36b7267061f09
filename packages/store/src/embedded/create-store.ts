import type { Store } from '../store.js';
import { openDatabase } from './database-format.js';
import { EmbeddedStore, type EmbeddedStoreOptions } from './embedded-store.js';
import { MemoryBackend } from './memory-backend.js';

/** Opens the store of a backend, or creates one if it is empty. Closing the store closes the backend. */
export async function createEmbeddedStore(options: EmbeddedStoreOptions): Promise<Store> {
  try {
    await openDatabase(options.backend);
    return new EmbeddedStore(options);
  } catch (error) {
    await options.backend[Symbol.asyncDispose]();
    throw error;
  }
}

/** A store that lives as long as the process. */
export function createMemoryStore(options: Omit<EmbeddedStoreOptions, 'backend'>): Promise<Store> {
  return createEmbeddedStore({ ...options, backend: new MemoryBackend() });
}
