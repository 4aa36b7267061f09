export {
  controllerProblems,
  FeatureGates,
  gateConflict,
  gateProblem,
  hasNoEffect,
  idlePlugins,
} from '@coracle/control-plane';
export { ClusterClock } from './cluster-clock.js';
export { type ChosenRuntime, chooseRuntime, type RuntimeChoice } from './nodes/choose-runtime.js';
export type { RealNodeSettings } from './nodes/real-node.js';
export type { RealNodeProviderOptions } from './nodes/real-node-provider.js';
export type { StoreChoice } from './open-store.js';
export { type ComponentOptions, type ComponentServing, runComponent } from './run-component.js';
export { cleanUpProxy, type RunProxyOptions, runProxy } from './run-proxy.js';
export type { Address } from './serve.js';
export type { CertificateFiles, NamedCertificateFiles } from './serving-certificates.js';
export type { TokenKeyTexts } from './signing-keys.js';
export {
  type Cluster,
  type ClusterOptions,
  type SeamWrappers,
  startCluster,
  type WrapperDependencies,
} from './start-cluster.js';
