export { LmdbBackend, type LmdbOptions } from './lmdb/lmdb-backend.js';
export { createLmdbStore } from './lmdb/lmdb-store.js';
