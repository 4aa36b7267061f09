export { describeStore, type MakeStore, type StoreHarness } from './conformance/store-suite.js';
