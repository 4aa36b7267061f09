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
  type Network,
  type Output,
  type Processes,
  type ProcessResult,
  type Terminal,
  type TransportRequest,
} from './host.js';
export { type ApplyOptions, apply } from './library/apply.js';
export { type DescribeOptions, describe } from './library/describe.js';
export { type ExplainOptions, exampleManifest, explain } from './library/explain.js';
export { get, getTables, getTree, type Table } from './library/get.js';
export { type LogOptions, logs } from './library/logs.js';
export { cordon, type DrainOptions, type DrainStep, drain, uncordon } from './library/nodes.js';
export { formatObjects, formatYaml } from './library/print.js';
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
export type { Query } from './library/targets.js';
export { type WaitOptions, waitFor } from './library/wait.js';
export { reasonsOfPod, whyAccess, whyPod } from './library/why.js';
export { annotate, create, label, type PatchOptions, patch, replace, type WriteOptions } from './library/write.js';
export { type Extraction, extract } from './remote/extract.js';
export type { DryRun } from './resources/common-flags.js';
export type { OwnedObject } from './resources/owned-objects.js';
export type { PatchKind } from './resources/request-helper.js';
export { type RunOptions, runKubectl } from './run/run-kubectl.js';
export type { Fields } from './values.js';
