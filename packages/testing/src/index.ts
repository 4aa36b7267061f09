export { describeBackend } from './conformance/backend-suite.js';
export type { MakeStore, StoreHarness } from './conformance/store-harness.js';
export { describeStore } from './conformance/store-suite.js';
