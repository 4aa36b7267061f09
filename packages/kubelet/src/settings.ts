import type { Millis } from '@coracle/base';
import type { CgroupDriver } from './cgroups/cgroup-name.js';
import type { TopologyPolicy } from './topology/topology-hints.js';

/** Settings of a kubelet, under the names of `KubeletConfiguration`. */
export interface KubeletSettings {
  /** Reserved resources of the system and the kubelet: `cpu: 500m`, `memory: 1Gi`. */
  readonly systemReserved: Readonly<Record<string, string>>;
  readonly kubeReserved: Readonly<Record<string, string>>;
  /** Thresholds by signal: `memory.available: 100Mi`, `nodefs.available: 10%`. Pods are evicted at once. */
  readonly evictionHard: Readonly<Record<string, string>>;
  /** Thresholds that must be crossed for a grace period before pods are evicted. */
  readonly evictionSoft: Readonly<Record<string, string>>;
  /** Durations by signal: `1m30s`. */
  readonly evictionSoftGracePeriod: Readonly<Record<string, string>>;
  /** Minimum amount to reclaim beyond a threshold, by signal. */
  readonly evictionMinimumReclaim: Readonly<Record<string, string>>;
  /** Time for which a pressure condition stays true after the pressure has ended. */
  readonly evictionPressureTransitionPeriod: Millis;
  /** Maximum grace period in seconds for evictions by soft thresholds. */
  readonly evictionMaxPodGracePeriod: number;
  readonly imageGCHighThresholdPercent: number;
  readonly imageGCLowThresholdPercent: number;
  readonly imageMinimumGCAge: Millis;
  /** Unused images are removed at this age, regardless of disk usage; never if it is 0. */
  readonly imageMaximumGCAge: Millis;
  /** Minimum age of a dead container before it is removed. */
  readonly minimumContainerTTLDuration: Millis;
  readonly maximumDeadContainersPerContainer: number;
  /** On the whole node; unlimited if negative. */
  readonly maximumDeadContainers: number;
  /** Interval in which files of volumes are updated. */
  readonly syncFrequency: Millis;
  /** Whether the kubelet registers its node; otherwise another component must. */
  readonly registerNode: boolean;
  /** Maximum number of pods per CPU of the node, if that is less than `maxPods`; 0 for no limit. */
  readonly podsPerCore: number;
  readonly crashLoopBackOff: {
    /** Maximum back-off of container restarts. */
    readonly maxContainerRestartPeriod: Millis;
  };
  /** Maximum number of parallel image pulls. */
  readonly maxParallelImagePulls: number;
  /** Maximum image pulls per second, and burst; unlimited if 0. */
  readonly registryPullQPS: number;
  readonly registryBurst: number;
  /** The parent of all cgroups of pods. */
  readonly cgroupRoot: string;
  readonly cgroupDriver: CgroupDriver;
  /** Whether CPU limits are enforced. */
  readonly cpuCFSQuota: boolean;
  readonly cpuCFSQuotaPeriod: Millis;
  /** Maximum number of processes in a pod; unlimited if negative. */
  readonly podPidsLimit: number;
  /** Whether containers use the runtime's seccomp profile by default. */
  readonly seccompDefault: boolean;
  /** Allowed sysctls beyond the safe ones: names, or prefixes with a `*`. */
  readonly allowedUnsafeSysctls: readonly string[];
  /** IP addresses of the cluster DNS. */
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  /** Grace period of node shutdown, and the part of it for critical pods; disabled if 0. */
  readonly shutdownGracePeriod: Millis;
  readonly shutdownGracePeriodCriticalPods: Millis;
  /** The same by priority; replaces both. */
  readonly shutdownGracePeriodByPodPriority: readonly {
    readonly priority: number;
    readonly shutdownGracePeriodSeconds: number;
  }[];
  /** `static` allocates exclusive CPUs to containers of guaranteed pods that request whole CPUs. */
  readonly cpuManagerPolicy: 'none' | 'static';
  readonly cpuManagerPolicyOptions: Readonly<Record<string, string>>;
  /** CPUs that are never exclusive: `0-1`. */
  readonly reservedSystemCPUs: string;
  /** `Static` pins the memory of guaranteed pods to NUMA nodes. */
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
  /** Whether exec, port-forward and logs are enabled. */
  readonly enableDebuggingHandlers: boolean;
  readonly authentication: KubeletAuthentication;
  readonly authorization: KubeletAuthorization;
  /** Whether the server serves the logs of the machine under `/logs/`. */
  readonly enableSystemLogHandler: boolean;
  /** Absolute. Links to the logs are in the directory `containers` beside it. */
  readonly podLogsDir: string;
  /** Maximum size of a log in bytes before it is rotated. */
  readonly containerLogMaxSize: number;
  /** Maximum number of log files of a container, including the current one. */
  readonly containerLogMaxFiles: number;
  readonly containerLogMonitorInterval: Millis;
  /** Interval of node status checks. */
  readonly nodeStatusUpdateFrequency: Millis;
  /** Interval of reports without changes. */
  readonly nodeStatusReportFrequency: Millis;
  /** Duration of the node's lease; it is renewed four times as often. */
  readonly nodeLeaseDurationSeconds: number;
}

/** How the server authenticates its clients. */
export interface KubeletAuthentication {
  /** Whether requests without credentials are requests of `system:anonymous`; rejected otherwise. */
  readonly anonymous: { readonly enabled: boolean };
  /** Whether tokens are reviewed by the API server, and the TTL of its reviews. */
  readonly webhook: { readonly enabled: boolean; readonly cacheTTL: Millis };
}

/** Authorization mode of the server: allow everything, or ask the API server. */
export interface KubeletAuthorization {
  readonly mode: 'AlwaysAllow' | 'Webhook';
  /** TTL of the API server's decisions. */
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
