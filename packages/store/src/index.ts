export type { Backend, BackendWrite } from './backend.js';
export type * from './store.js';
export { StoreError, type StoreErrorCode } from './store-error.js';
