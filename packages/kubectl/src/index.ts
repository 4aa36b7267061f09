export { CommandError, ErrorList } from './command/command-error.js';
export { formatError } from './command/format-error.js';
export type { Applied } from './commands/apply/apply-settings.js';
export {
  FileError,
  type FileStatus,
  type Files,
  type Host,
  type Input,
  type LocalConnection,
  type LocalHttpRequest,
  type LocalHttpResponse,
  type LocalUpgrade,
  type Network,
  type Output,
  type Processes,
  type ProcessResult,
  type Terminal,
  type TransportRequest,
} from './host.js';
export { type ApplyOptions, apply, type PruneOptions } from './library/apply.js';
export {
  type AccessOptions,
  type AccessReview,
  canI,
  type Permissions,
  permissions,
  type ReconcileOptions,
  type Reconciliation,
  reconcileAccess,
  type UserInfo,
  whoAmI,
} from './library/auth.js';
export {
  type BuildOptions,
  type Difference,
  type DiffOptions,
  diff,
  edit,
  kustomize,
  lastApplied,
  setLastApplied,
} from './library/changes.js';
export {
  apiResources,
  apiVersions,
  approveCertificate,
  clusterInfo,
  type DumpPart,
  denyCertificate,
  dumpCluster,
  type EventOptions,
  events,
  followEvents,
  type ProxyOptions,
  proxy,
  type ResourceFilter,
  type ServedResource,
  type Versions,
  version,
} from './library/cluster.js';
export type { FlagRecord } from './library/command-context.js';
export { type DescribeOptions, describe } from './library/describe.js';
export { type ExplainOptions, exampleManifest, explain } from './library/explain.js';
export { get, getTables, getTree, type Table } from './library/get.js';
export { type Kubeconfig, kubeconfig, type Section } from './library/kubeconfig.js';
export { type LogOptions, logs } from './library/logs.js';
export { cordon, type DrainOptions, type DrainStep, drain, uncordon } from './library/nodes.js';
export { formatObjects, formatYaml } from './library/print.js';
export {
  attach,
  type ContainerTarget,
  copyFrom,
  copyTo,
  exec,
  type ForwardOptions,
  forwardPort,
  type StreamOptions,
  type StreamResult,
} from './library/remote.js';
export { type Removed, type RemoveOptions, remove } from './library/remove.js';
export {
  followRollout,
  pauseRollout,
  type Revision,
  type RolloutOptions,
  type RolloutStatus,
  restartRollout,
  resumeRollout,
  rolloutHistory,
  rolloutStatus,
  undoRollout,
} from './library/rollout.js';
export { type ScaleOptions, scale } from './library/scale.js';
export { Session, type SessionOptions } from './library/session.js';
export {
  addSubjects,
  type ContainerOptions,
  type Subject,
  setEnv,
  setImage,
  setResources,
  setSelector,
  setServiceAccount,
  type Taint,
  taint,
} from './library/set.js';
export type { Query } from './library/targets.js';
export {
  type NodeUsage,
  type PodUsage,
  type TopNodesOptions,
  type TopPodsOptions,
  topNodes,
  topPods,
  type Usage,
} from './library/top.js';
export { type WaitOptions, waitFor } from './library/wait.js';
export { reasonsOfPod, whyAccess, whyPod } from './library/why.js';
export {
  type AutoscaleOptions,
  autoscale,
  type Debugged,
  type DebugOptions,
  debug,
  type ExposeOptions,
  expose,
  generate,
  type RunPodOptions,
  runPod,
} from './library/workloads.js';
export { annotate, create, label, type PatchOptions, patch, replace, type WriteOptions } from './library/write.js';
export { type Extraction, extract } from './remote/extract.js';
export type { DryRun } from './resources/common-flags.js';
export type { OwnedObject } from './resources/owned-objects.js';
export type { PatchKind } from './resources/request-helper.js';
export { type RunOptions, runKubectl } from './run/run-kubectl.js';
export type { Fields } from './values.js';
