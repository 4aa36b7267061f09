export type { LogLine } from './container-log.js';
export type { ContainerContext, ImageProgram } from './image-program.js';
export type { PodHandler } from './network/pod-handler.js';
export {
  type ClusterNetwork,
  type NetworkOptions,
  type ResolveOptions,
  type ServedPods,
  SimulatedNetwork,
} from './network/simulated-network.js';
export type { SimulatedHost } from './simulated-host.js';
export { type SimulatedNodeProvider, simulatedNodeProvider } from './simulated-node-provider.js';
export {
  type NodeShape,
  type SimulatedNodes,
  type SimulatedNodesOptions,
  startSimulatedNodes,
} from './simulated-nodes.js';
export { createSimulatedRuntime, type SimulatedRuntime, type SimulatedRuntimeOptions } from './simulated-runtime.js';
export type { SaidUsage, UsageFunction } from './simulated-usage.js';
export { parseStages, StageError } from './stages/parse-stages.js';
export type { Stage } from './stages/stage.js';
