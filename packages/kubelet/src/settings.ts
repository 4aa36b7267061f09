import type { Millis } from '@coracle/base';
import type { CgroupDriver } from './cgroups/cgroup-name.js';
import type { TopologyPolicy } from './topology/topology-hints.js';

/** What may be set of a kubelet, under the names of `KubeletConfiguration`. */
export interface KubeletSettings {
  /** What the system and the kubelet keep for themselves, by resource: `cpu: 500m`, `memory: 1Gi`. */
  readonly systemReserved: Readonly<Record<string, string>>;
  readonly kubeReserved: Readonly<Record<string, string>>;
  /** Thresholds by signal: `memory.available: 100Mi`, `nodefs.available: 10%`. Pods are evicted at once. */
  readonly evictionHard: Readonly<Record<string, string>>;
  /** Thresholds that must be crossed for a grace period before pods are evicted. */
  readonly evictionSoft: Readonly<Record<string, string>>;
  /** Durations by signal: `1m30s`. */
  readonly evictionSoftGracePeriod: Readonly<Record<string, string>>;
  /** How much beyond a threshold must be free again, by signal. */
  readonly evictionMinimumReclaim: Readonly<Record<string, string>>;
  /** How long a pressure condition stays true after the pressure has ended. */
  readonly evictionPressureTransitionPeriod: Millis;
  /** How many seconds pods get at most that are evicted for a soft threshold. */
  readonly evictionMaxPodGracePeriod: number;
  readonly imageGCHighThresholdPercent: number;
  readonly imageGCLowThresholdPercent: number;
  readonly imageMinimumGCAge: Millis;
  /** Unused images go after so long, whatever room there is; never when it is 0. */
  readonly imageMaximumGCAge: Millis;
  /** How old a dead container must be to go. */
  readonly minimumContainerTTLDuration: Millis;
  readonly maximumDeadContainersPerContainer: number;
  /** On the whole node; any number when it is negative. */
  readonly maximumDeadContainers: number;
  /** How often files that come from other objects are brought up to date. */
  readonly syncFrequency: Millis;
  /** Whether the node registers itself; otherwise someone else must. */
  readonly registerNode: boolean;
  /** How many pods the node takes for each of its CPUs, if that is less than `maxPods`; 0 for no such limit. */
  readonly podsPerCore: number;
  readonly crashLoopBackOff: {
    /** How long a container that keeps failing waits at most for its next start. */
    readonly maxContainerRestartPeriod: Millis;
  };
  /** How many images are pulled at the same time. */
  readonly maxParallelImagePulls: number;
  /** How many pulls may begin in a second, and how many at once after a while without; any number when it is 0. */
  readonly registryPullQPS: number;
  readonly registryBurst: number;
  /** The parent of all cgroups of pods. */
  readonly cgroupRoot: string;
  readonly cgroupDriver: CgroupDriver;
  /** Whether CPU limits are enforced. */
  readonly cpuCFSQuota: boolean;
  readonly cpuCFSQuotaPeriod: Millis;
  /** How many processes a pod may have; any number when it is negative. */
  readonly podPidsLimit: number;
  /** Whether containers that do not say otherwise have the runtime's seccomp profile. */
  readonly seccompDefault: boolean;
  /** Sysctls that pods may set beside the safe ones: names, or beginnings of names with a `*`. */
  readonly allowedUnsafeSysctls: readonly string[];
  /** Addresses of the cluster's DNS. */
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  /**
   * How long a node that is switched off waits for its pods, and how much of that is for critical ones; never when 0.
   */
  readonly shutdownGracePeriod: Millis;
  readonly shutdownGracePeriodCriticalPods: Millis;
  /** The same by priority; takes the place of the two before. */
  readonly shutdownGracePeriodByPodPriority: readonly {
    readonly priority: number;
    readonly shutdownGracePeriodSeconds: number;
  }[];
  /** `static` allocates exclusive CPUs to containers of guaranteed pods that request whole CPUs. */
  readonly cpuManagerPolicy: 'none' | 'static';
  readonly cpuManagerPolicyOptions: Readonly<Record<string, string>>;
  /** CPUs that no container gets for itself: `0-1`. */
  readonly reservedSystemCPUs: string;
  /** `Static` keeps the memory of guaranteed pods on NUMA nodes. */
  readonly memoryManagerPolicy: 'None' | 'Static';
  /** Memory reserved on each NUMA node. */
  readonly reservedMemory: readonly {
    readonly numaNode: number;
    readonly limits: Readonly<Record<string, string>>;
  }[];
  readonly topologyManagerPolicy: TopologyPolicy;
  readonly topologyManagerScope: 'container' | 'pod';
  /** Whether there is an HTTPS port. */
  readonly enableServer: boolean;
  /** Whether the server runs commands, forwards ports and shows logs. */
  readonly enableDebuggingHandlers: boolean;
  readonly authentication: KubeletAuthentication;
  readonly authorization: KubeletAuthorization;
  /** Whether the server shows the logs of the machine under `/logs/`. */
  readonly enableSystemLogHandler: boolean;
  /** Absolute. Links to the logs are in the directory `containers` beside it. */
  readonly podLogsDir: string;
  /** A log that is larger is rotated, in bytes. */
  readonly containerLogMaxSize: number;
  /** Maximum number of log files of a container, including the current one. */
  readonly containerLogMaxFiles: number;
  readonly containerLogMonitorInterval: Millis;
  /** How often the status of the node is looked at. */
  readonly nodeStatusUpdateFrequency: Millis;
  /** Interval of reports without changes. */
  readonly nodeStatusReportFrequency: Millis;
  /** After how long without a renewal the lease of the node is over; it is renewed four times as often. */
  readonly nodeLeaseDurationSeconds: number;
}

/** How the server authenticates its clients. */
export interface KubeletAuthentication {
  /** Whether requests without credentials come from `system:anonymous`; refused otherwise. */
  readonly anonymous: { readonly enabled: boolean };
  /** Whether the API server reviews tokens, and how long its reviews are valid. */
  readonly webhook: { readonly enabled: boolean; readonly cacheTTL: Millis };
}

/** What clients of the server may do: everything, or what the API server allows them. */
export interface KubeletAuthorization {
  readonly mode: 'AlwaysAllow' | 'Webhook';
  /** How long decisions of the API server are valid. */
  readonly webhook: { readonly cacheAuthorizedTTL: Millis; readonly cacheUnauthorizedTTL: Millis };
}

export const defaultSettings: KubeletSettings = Object.freeze({
  systemReserved: {},
  kubeReserved: {},
  evictionHard: {
    'memory.available': '100Mi',
    'nodefs.available': '10%',
    'nodefs.inodesFree': '5%',
    'imagefs.available': '15%',
    'imagefs.inodesFree': '5%',
  },
  evictionSoft: {},
  evictionSoftGracePeriod: {},
  evictionMinimumReclaim: {},
  evictionPressureTransitionPeriod: 300_000,
  evictionMaxPodGracePeriod: 0,
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  imageMinimumGCAge: 120_000,
  imageMaximumGCAge: 0,
  minimumContainerTTLDuration: 0,
  maximumDeadContainersPerContainer: 1,
  maximumDeadContainers: -1,
  syncFrequency: 60_000,
  registerNode: true,
  podsPerCore: 0,
  crashLoopBackOff: { maxContainerRestartPeriod: 300_000 },
  maxParallelImagePulls: 1,
  registryPullQPS: 5,
  registryBurst: 10,
  cgroupRoot: '/',
  cgroupDriver: 'cgroupfs',
  cpuCFSQuota: true,
  cpuCFSQuotaPeriod: 100,
  podPidsLimit: -1,
  seccompDefault: false,
  allowedUnsafeSysctls: [],
  clusterDNS: [],
  clusterDomain: 'cluster.local',
  shutdownGracePeriod: 0,
  shutdownGracePeriodCriticalPods: 0,
  shutdownGracePeriodByPodPriority: [],
  cpuManagerPolicy: 'none',
  cpuManagerPolicyOptions: {},
  reservedSystemCPUs: '',
  memoryManagerPolicy: 'None',
  reservedMemory: [],
  topologyManagerPolicy: 'none',
  topologyManagerScope: 'container',
  enableServer: true,
  enableDebuggingHandlers: true,
  authentication: { anonymous: { enabled: false }, webhook: { enabled: true, cacheTTL: 120_000 } },
  authorization: { mode: 'Webhook' as const, webhook: { cacheAuthorizedTTL: 300_000, cacheUnauthorizedTTL: 30_000 } },
  enableSystemLogHandler: true,
  podLogsDir: '/var/log/pods',
  containerLogMaxSize: 10 * 1024 * 1024,
  containerLogMaxFiles: 5,
  containerLogMonitorInterval: 10_000,
  nodeStatusUpdateFrequency: 10_000,
  nodeStatusReportFrequency: 300_000,
  nodeLeaseDurationSeconds: 40,
});
