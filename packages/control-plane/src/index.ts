export { FeatureGates, gateConflict, gateProblem, hasNoEffect, idlePlugins } from '@coracle/apiserver';
export {
  addressPoolProblem,
  type ClusterRange,
  clusterRangeProblems,
  controllerProblems,
  usualMaskSize,
} from '@coracle/controllers';
export { parseAdapterRules } from '@coracle/metrics-server';
export {
  type DebugRequests,
  type ExtenderConfiguration,
  type ExtenderTransport,
  electionSettings,
  extensionPoints,
  type NodeInfo,
  type PodInfo,
  type ProfileEntry as SchedulerPluginEntry,
  parseConfiguration as parseSchedulerConfiguration,
  type SchedulerPlugins,
  statedProcessFields,
} from '@coracle/scheduler';
export { type ComponentPagesOptions, componentPages } from './component-pages.js';
export {
  type Component,
  type ComponentOptions,
  type ControllerManagerSettings,
  runControllerManager,
  runScheduler,
  type SchedulerSettings,
} from './components.js';
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './control-plane.js';
export { type Access, type DelegatedAccessOptions, delegatedAccess } from './delegated-access.js';
export type { NodeCommands, NodeContext, NodeProvider, ProvidedNodes } from './node-provider.js';
export type { PrometheusSettings } from './prometheus-adapter.js';
export type { SecurityOptions, SigningKeys, VerificationKey } from './security.js';
export { type ServiceAccountTransportOptions, serviceAccountTransport } from './service-account-transport.js';
export { tracedResources } from './trace-story.js';
export { userAgentOf } from './user-agent.js';
