export type { LogLine } from './container-log.js';
export {
  type ClusterNetwork,
  type NetworkOptions,
  type PodHandler,
  type ResolveOptions,
  type ServedPods,
  SimulatedNetwork,
} from './network/simulated-network.js';
export type { SimulatedHost } from './simulated-host.js';
export { type SimulatedNodeProvider, simulatedNodeProvider } from './simulated-node-provider.js';
export { type SimulatedNodes, type SimulatedNodesOptions, startSimulatedNodes } from './simulated-nodes.js';
export { createSimulatedRuntime, type SimulatedRuntime, type SimulatedRuntimeOptions } from './simulated-runtime.js';
export type { SaidUsage, UsageFunction } from './simulated-usage.js';
