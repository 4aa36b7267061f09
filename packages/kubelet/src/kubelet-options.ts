import type { Node } from '@coracle/api';
import type { Activity, Clock, Logger, Metrics, Millis, Random, Tracer } from '@coracle/base';
import type { Client, EventRecorder } from '@coracle/client';
import type { ImageService, RuntimeService } from '@coracle/cri';
import type { PodKeys } from './certificates/pod-keys.js';
import type { CgroupHost } from './cgroups/cgroup-host.js';
import type { Checkpoints } from './checkpoints.js';
import type { ClaimManager } from './devices/claim-manager.js';
import type { DeviceManager } from './devices/device-manager.js';
import type { HostUsageSource } from './host-usage.js';
import type { CredentialProviders } from './images/credential-providers.js';
import type { LogFiles } from './logs/log-files.js';
import type { LogSource } from './logs/log-source.js';
import type { NodeDescription } from './node-description.js';
import type { KernelLog } from './oom/watch-oom.js';
import type { PodReferences } from './pod-references.js';
import type { PodSource } from './pod-source.js';
import type { Prober } from './probes/prober.js';
import type { NodeAccess } from './server/node-access.js';
import type { NodeLogs } from './server/node-logs.js';
import type { RuntimeStreams } from './server/runtime-streams.js';
import type { KubeletSettings } from './settings.js';
import type { StaticPodSource } from './static-pods/static-pods.js';
import type { HostStatsSource } from './stats/host-stats.js';
import type { MachineTopology } from './topology/machine-topology.js';
import type { VolumeHost } from './volumes/volume-host.js';

export interface KubeletOptions {
  readonly nodeName: string;
  /** As `system:node:<name>` in the group `system:nodes`. */
  readonly client: Client;
  readonly pods: PodSource;
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  readonly prober: Prober;
  /** Connects to the streaming server of the runtime. */
  readonly streams: RuntimeStreams;
  readonly node: NodeDescription;
  readonly references: PodReferences;
  /** Generates keys for certificates of pods; pods get none without it. */
  readonly podKeys?: PodKeys;
  /** Sets up volumes on the machine; none without it. */
  readonly volumeHost?: VolumeHost;
  /** Creates the cgroups of pods; the runtime creates its own without it. */
  readonly cgroups?: CgroupHost;
  /** Devices of device plugins. */
  readonly devices?: DeviceManager;
  /** Devices of resource claims. */
  readonly claims?: ClaimManager;
  /** The machine topology, and checkpoints that survive a restart: required by policies that pin containers. */
  readonly machine?: { readonly topology: MachineTopology; readonly checkpoints: Checkpoints };
  /** Reads the node's resolv.conf; without it, pods with dnsPolicy Default have no resolver configuration. */
  readonly readResolvConf?: () => Promise<string>;
  /** Whether images report the user that they run as; true by default. */
  readonly imagesTellUsers?: boolean;
  /** Credential providers for registries. */
  readonly credentialProviders?: CredentialProviders;
  /** Log files of containers; without it, none are rotated or removed. */
  readonly podLogFiles?: LogFiles;
  /** Measures available resources. Without it the node is never under pressure. */
  readonly host?: HostUsageSource;
  /** Sources of static pods. */
  readonly staticPods?: readonly StaticPodSource[];
  /** Settings that differ from the defaults. */
  readonly settings?: Partial<KubeletSettings>;
  readonly metrics?: Metrics;
  /** The text of `/metrics`; empty if absent. */
  readonly renderMetrics?: () => string;
  /** Where containers write their logs; there are none unless given. */
  readonly logs?: LogSource;
  /** The log directory of the machine, which the kubelet's server shows; none if absent. */
  readonly nodeLogs?: NodeLogs;
  /** The kernel log; OOM kills are not reported without it. */
  readonly kernelLog?: KernelLog;
  readonly hostStats?: HostStatsSource;
  /** Authentication and authorization of the kubelet's server; without it every client that reaches it is allowed. */
  readonly access?: NodeAccess;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly activity: Activity;
  readonly recorder: EventRecorder;
  /** Whether the kubelet removes the not-ready taint of its node itself, if no controller does. */
  readonly clearNotReadyTaint?: boolean;
  /** False if another component writes the node's status. */
  readonly reportsNodeStatus?: boolean;
  /** The node from a watch; read from the API if absent. */
  readonly watchedNode?: () => Node | undefined;
  /** Interval of runtime status checks; five seconds by default. */
  readonly healthPeriod?: Millis;
  /** Interval of measurements for evictions; ten seconds by default. */
  readonly evictionPeriod?: Millis;
  /** Maximum delay of the first write of the node's lease; none by default. */
  readonly firstLeaseWithin?: Millis;
}
