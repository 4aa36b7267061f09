export type { Channel } from '@coracle/apimachinery';
export { CachedInformer, type CachedInformerOptions } from './cache/cached-informer.js';
export { type Delta, DeltaQueue, type KnownObjects } from './cache/delta-queue.js';
export { IndexedStore, namespaceIndex } from './cache/indexed-store.js';
export type {
  IndexFunction,
  InformerEvent,
  InformerFactory,
  InformerHandler,
  InformerOptions,
  Lister,
  SharedInformer,
} from './cache/informer.js';
export { createInformers, type InformersOptions } from './cache/informers.js';
export { Reflector, type ReflectorOptions, type ReflectorState, type ReflectorTarget } from './cache/reflector.js';
export { SyncRunner, type SyncRunnerOptions } from './cache/sync-runner.js';
export type { Client, RawOptions, RawResponse } from './client.js';
export { type CreateClientOptions, createClient } from './create-client.js';
export {
  type DelegatedAuthenticationOptions,
  delegatedAuthentication,
  type ReviewedUser,
} from './delegated/delegated-authentication.js';
export {
  type DelegatedAuthorizationOptions,
  delegatedAuthorization,
  type ReviewedAction,
} from './delegated/delegated-authorization.js';
export { CachedDiscovery, type CachedDiscoveryOptions, type DiscoveryFiles } from './discovery/cached-discovery.js';
export { discover, discoverVersion } from './discovery/discover.js';
export { revalidating } from './discovery/revalidating.js';
export { type ServerAddressByClientCidr, serverAddressFor } from './discovery/server-address-for.js';
export {
  type ApiGroup,
  type ApiResource,
  type ApiResourceList,
  resourceInfos,
  type ServerResources,
} from './discovery/server-resources.js';
export { type AnyObject, clientFor, refOf } from './dynamic-client.js';
export { createEventRecorder, type EventRecorderOptions } from './events/create-event-recorder.js';
export { EventCorrelator } from './events/event-correlator.js';
export type { EventRecorder, EventSubject, EventType } from './events/event-recorder.js';
export { type CopyOptions, copyFromPod, copyToPod } from './exec/copy-files.js';
export { type PodLogOptions, podLogLines, podLogs } from './exec/pod-logs.js';
export { type ForwardedConnection, type PortForwardOptions, portForward } from './exec/port-forward.js';
export {
  attach,
  type CommandResult,
  type CommandStreams,
  exec,
  type RemoteCommandOptions,
  type TerminalSize,
} from './exec/remote-command.js';
export { readTar, type TarEntry, writeTar } from './exec/tar.js';
export {
  type Connection,
  type ConnectionCredentials,
  type ConnectionOverrides,
  connectionOf,
  type Impersonation,
  type Material,
  userNameOf,
} from './kubeconfig/connection.js';
export {
  CachedCredentials,
  type CredentialSource,
  type Credentials,
  type Issued,
  staticCredentials,
} from './kubeconfig/credential-source.js';
export { type ExecCluster, execInfo, isInteractive, parseExecCredential } from './kubeconfig/exec-credential.js';
export { impersonationHeaders } from './kubeconfig/impersonation-headers.js';
export type {
  ClusterEntry,
  ContextEntry,
  ExecEntry,
  Kubeconfig,
  NamedCluster,
  NamedContext,
  NamedUser,
  UserEntry,
} from './kubeconfig/kubeconfig.js';
export { mergeKubeconfigs } from './kubeconfig/merge-kubeconfigs.js';
export { issueOidcToken, type OidcProvider, type OidcSettings } from './kubeconfig/oidc-credentials.js';
export { parseKubeconfig, resolveFiles } from './kubeconfig/parse-kubeconfig.js';
export { electLeader, type LeaderElectionOptions, LeaderElector } from './leader-election/leader-elector.js';
export { Term } from './leader-election/term.js';
export { defaultPageSize, listInPages, listPages } from './pager.js';
export type { ResourceAccessors } from './resource-accessors.js';
export type {
  ApplyOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  PatchOptions,
  PatchType,
  ReadOptions,
  ResourceClient,
  WatchOptions,
  WatchSink,
  WriteOptions,
} from './resource-client.js';
export { type BackingOffOptions, backingOff } from './rest/backing-off.js';
export type { ContentCodec, EventReader } from './rest/content-codec.js';
export { failureOfResponse, isStatus } from './rest/failure-of-response.js';
export { isStreaming } from './rest/is-streaming.js';
export { protobufCodec } from './rest/protobuf-codec.js';
export { rateLimited } from './rest/rate-limited.js';
export { RestClientMetrics } from './rest/rest-client-metrics.js';
export { type ResumingWatchOptions, resumingWatch } from './rest/resuming-watch.js';
export { type RetryingOptions, retrying } from './rest/retrying.js';
export { isTransient, type RetryOptions, retryOn, retryOnConflict, suggestedDelayMs } from './retry/retry.js';
export { type WaitForObjectOptions, type WaitOptions, waitFor, waitForObject } from './retry/wait-for.js';
export { type ScaleClient, scaleClient } from './scale-client.js';
export {
  type Connect,
  type ConnectRequest,
  type InProcessServer,
  inProcessTransport,
  type Transport,
  UpgradeRefused,
} from './transport.js';
export { DelayingWorkQueue } from './workqueue/delaying-work-queue.js';
export { type KeyedRun, KeyedWorker, type KeyedWorkerOptions } from './workqueue/keyed-worker.js';
export { PriorityWorkQueue } from './workqueue/priority-work-queue.js';
export type { QueueObserver } from './workqueue/queue-observer.js';
export {
  BucketRateLimiter,
  defaultRateLimiter,
  ExponentialRateLimiter,
  FastSlowRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
  withJitter,
  withMaxWait,
} from './workqueue/rate-limiter.js';
export {
  createWorkQueue,
  RateLimitingWorkQueue,
  type WorkQueueOptions,
} from './workqueue/rate-limiting-work-queue.js';
export {
  type Reconcile,
  type ReconcileResult,
  runWorkers,
  TerminalError,
  type WorkersOptions,
} from './workqueue/run-workers.js';
export { FifoWorkQueue, type ShutDownOptions, type WorkQueue } from './workqueue/work-queue.js';
