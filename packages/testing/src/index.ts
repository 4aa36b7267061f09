export { describeBackend } from './conformance/backend-suite.js';
export { type ClientHarness, virtualTime } from './conformance/client-harness.js';
export { describeClient } from './conformance/client-suite.js';
export { describeControllerRuntime } from './conformance/controller-runtime-suite.js';
export type { MakeStore, StoreHarness } from './conformance/store-harness.js';
export { describeStoreModel, type ModelOptions } from './conformance/store-model-suite.js';
export { describeStore } from './conformance/store-suite.js';
export { startPermissiveApiServer } from './permissive-api-server.js';
export { refuseWatchLists, type WatchListRefusal, watchListRefusals } from './refuse-watch-lists.js';
