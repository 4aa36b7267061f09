export type { Backend, BackendRangeOptions, BackendWrite } from './backend.js';
export { agreementKey, Compactor, type CompactorOptions } from './compactor.js';
export { createEmbeddedStore, createMemoryStore } from './embedded/create-store.js';
export type { EmbeddedStoreOptions } from './embedded/embedded-store.js';
export { MemoryBackend } from './embedded/memory-backend.js';
export { guardListener } from './guard-listener.js';
export { checkTransaction, maxOperations, maxTransactionBytes } from './limits.js';
export type * from './store.js';
export { StoreError, type StoreErrorCode } from './store-error.js';
