export { type ConfigFile, chooseNetwork, type NetworkChoice } from './choose-network.js';
export { asCniError, CniError, cniErrorCodes } from './cni-error.js';
export { type NetworkConfig, type PluginConfig, parseNetworkConfig } from './network-config.js';
export {
  defaultBridge,
  type NodeNetworkOptions,
  nodeNetworkConfig,
  nodeNetworkFile,
  nodeNetworkName,
} from './node-network.js';
export { parseResult } from './parse-result.js';
export { limitTable, restoreLimits } from './plugin/bandwidth.js';
export { type BridgeConfig, parseBridgeConfig } from './plugin/bridge-config.js';
export { nodeTable, nodeTableRules, restoreHostPorts } from './plugin/node-table.js';
export { bridgeSysctls, bringUpBridge, createBridge, podRanges } from './plugin/plan-attachment.js';
export type { LeasedAttachment, LeaseStore, PluginHost } from './plugin/plugin-host.js';
export { type PluginAnswer, type PluginCall, runPlugin } from './plugin/run-plugin.js';
export type { CniAddress, CniDns, CniInterface, CniResult, CniRoute } from './result.js';
export {
  forwardingChanges,
  planRoutes,
  type RouteBackend,
  type RoutePeer,
  type RoutePlan,
  routeChanges,
  routeProtocol,
  tunnelDevice,
  tunnelLines,
  tunnelOverhead,
} from './routes/plan-routes.js';
export type { Attachment, AttachmentKey, CachedAttachment, ResultCache } from './runner/attachment.js';
export {
  CniRunner,
  type CniRunnerOptions,
  type PluginOutcome,
  type PluginRun,
  type RunPlugin,
} from './runner/cni-runner.js';
export { currentVersion, supportedVersions } from './versions.js';
