export type { AccessExplanation, OutboundCredentials, WebhookCredentials } from '@coracle/apiserver';
export { usualServiceRanges } from '@coracle/apiserver';
export {
  addressPoolProblem,
  clusterRangeProblems,
  controllerProblems,
  electionSettings,
  FeatureGates,
  gateConflict,
  gateProblem,
  hasNoEffect,
  idlePlugins,
  type NodeInfo,
  type PodInfo,
  type SchedulerPluginEntry,
  type SchedulerPlugins,
  statedProcessFields,
} from '@coracle/control-plane';
export { type AuditMode, type AuditSettings, readAuditPolicy } from './audit.js';
export { type AuthenticationSettings, readJwtConfigs } from './authentication.js';
export {
  type AuthorizationSettings,
  readAuthorizationConfig,
  type WebhookSettings,
} from './authorization.js';
export { ClusterClock } from './cluster-clock.js';
export type { ClusterOptions, SeamWrappers, WrapperDependencies } from './cluster-options.js';
export type { ComponentServing } from './component-serving.js';
export { type ExtensionServer, type ExtensionServerOptions, startExtensionServer } from './extension-server.js';
export {
  caCertificateHash,
  checkBootstrapToken,
  createBootstrapToken,
  type TokenOptions,
} from './join/bootstrap-token.js';
export { discoverCa } from './join/discover-cluster.js';
export {
  type BootstrapFileOptions,
  type BootstrapOptions,
  bootstrapFromFile,
  bootstrapNode,
  credentialsIn,
  hasNodeCertificate,
  type NodeCredentials,
  rotateCertificate,
} from './join/node-credentials.js';
export { canConnectPods } from './network/can-connect-pods.js';
export { dnsAddresses } from './network/cluster-dns.js';
export type { PublishedNetwork } from './network/published-network.js';
export { findPublishedNetwork, type RunNodeNetworkOptions, runNodeNetwork } from './network/run-node-network.js';
export { type ChosenRuntime, chooseRuntime, type RuntimeChoice } from './nodes/choose-runtime.js';
export { defaultNodeName } from './nodes/default-node-name.js';
export type { RealNode, RealNodeSettings } from './nodes/real-node.js';
export type { RealNodeNetwork, RealNodeProviderOptions } from './nodes/real-node-provider.js';
export { type RunKubeletOptions, runKubelet } from './nodes/run-kubelet.js';
export { type HealthServing, usualHealthServing } from './nodes/serve-health.js';
export type { StoreChoice, StoreOverrideChoice } from './open-store.js';
export { readPrometheusRules } from './prometheus.js';
export type { RequestHeaderFiles } from './request-header.js';
export { type ComponentOptions, runComponent } from './run-component.js';
export { cleanUpProxy, type RunProxyOptions, runProxy, userSpaceNote } from './run-proxy.js';
export { loadSchedulerPlugins, readSchedulerConfiguration, type SchedulerFile } from './scheduler-settings.js';
export type { Address } from './serve.js';
export type { CertificateFiles, NamedCertificateFiles } from './serving-certificates.js';
export type { TokenKeyTexts } from './signing-keys.js';
export { type Cluster, startCluster } from './start-cluster.js';
