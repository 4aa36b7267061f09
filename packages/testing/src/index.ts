export { describeBackend } from './conformance/backend-suite.js';
export { type ClientHarness, describeClient } from './conformance/client-suite.js';
export type { MakeStore, StoreHarness } from './conformance/store-harness.js';
export { describeStoreModel, type ModelOptions } from './conformance/store-model-suite.js';
export { describeStore } from './conformance/store-suite.js';
