export { type PodRejection, refusalOf } from './admit-pod.js';
export { PodCertificates, type PodCertificatesOptions } from './certificates/pod-certificates.js';
export type { PodKey, PodKeys } from './certificates/pod-keys.js';
export type { CgroupHost, CgroupLimits } from './cgroups/cgroup-host.js';
export type { Checkpoints } from './checkpoints.js';
export type { PodActions, ProbeVerdicts } from './compute-pod-actions.js';
export { type KubeletConfiguration, parseKubeletConfiguration } from './configuration/kubelet-configuration.js';
export {
  type ClaimDriver,
  ClaimManager,
  type ClaimName,
  type PreparedClaim,
  type PreparedDevice,
} from './devices/claim-manager.js';
export { DeviceManager } from './devices/device-manager.js';
export type {
  DeviceGrant,
  DevicePlugin,
  PluginDevice,
  PreferenceRequest,
} from './devices/device-plugin.js';
export {
  allocatableDevices,
  type PodResources,
  type PodResourcesSource,
  podResourcesOf,
} from './devices/pod-resources.js';
export type { FsStats } from './fs-stats.js';
export type { FilesystemRoom, HostUsage, HostUsageSource, Room } from './host-usage.js';
export {
  type CredentialProvider,
  type CredentialProviderResponse,
  type CredentialProviders,
  createCredentialProviders,
} from './images/credential-providers.js';
export { createKubelet, type Kubelet } from './kubelet.js';
export type { KubeletOptions } from './kubelet-options.js';
export type { LogFiles } from './logs/log-files.js';
export type { LogFile, LogSource } from './logs/log-source.js';
export { kubeletVersion, type NodeDescription } from './node-description.js';
export type { KernelLog } from './oom/watch-oom.js';
export { fullNameOf, hostnameOf } from './pod-hostname.js';
export { type PodReferences, watchReferences } from './pod-references.js';
export { createPodSource, type PodSink, type PodSource } from './pod-source.js';
export {
  type HookRequest,
  httpProbeResult,
  mostRedirects,
  nextProbeUrl,
  type ProbeKind,
  type ProbeRequest,
  type ProbeResult,
  type Prober,
} from './probes/prober.js';
export type { RuntimePod } from './runtime-pod.js';
export { healthExchange } from './server/health-exchange.js';
export { type NodeAccess, type NodeAccessOptions, nodeAccess } from './server/node-access.js';
export type { NodeLogEntry, NodeLogs } from './server/node-logs.js';
export type { NodeServer } from './server/node-server.js';
export type { RuntimeStreams } from './server/runtime-streams.js';
export { defaultSettings, type KubeletSettings } from './settings.js';
export { NodeShutdown } from './shutdown/node-shutdown.js';
export type { PodManifest, StaticPodSource } from './static-pods/static-pods.js';
export type { HostStats, HostStatsSource } from './stats/host-stats.js';
export { measuredService } from './stats/measured-runtime.js';
export type { Summary } from './stats/summary.js';
export type { PodStatusInput } from './status/compute-pod-status.js';
export type { CommandStreams, PortSink, StreamingRuntime, TerminalSize } from './streaming/streaming-runtime.js';
export { StreamingServer, type StreamingServerOptions } from './streaming/streaming-server.js';
export { parseCpuSet } from './topology/cpu-set.js';
export type { Cpu, MachineTopology } from './topology/machine-topology.js';
export { labelTopology, type NodeDriver, publishCsiNode } from './volumes/csi-node.js';
export { nodeHostsFile, podHostsFile } from './volumes/etc-hosts.js';
export type { VolumeFile, VolumeFiles } from './volumes/volume-file.js';
export type {
  BindPlan,
  ContainerFilesHost,
  CsiPlan,
  DirectorySize,
  EmptyDirectoryPlan,
  FilesPlan,
  GroupOwnership,
  HostPathPlan,
  RemotePlan,
  SubPathRequest,
  VolumeHost,
  VolumePlan,
} from './volumes/volume-host.js';
