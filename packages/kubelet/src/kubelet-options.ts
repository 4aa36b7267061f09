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
  /** Leads to the runtime's streams. */
  readonly streams: RuntimeStreams;
  readonly node: NodeDescription;
  readonly references: PodReferences;
  /** Makes keys for certificates of pods; pods get none without it. */
  readonly podKeys?: PodKeys;
  /** Sets up volumes on the machine; without it none are set up. */
  readonly volumeHost?: VolumeHost;
  /** Where the cgroups of pods are made; the runtime makes its own without it. */
  readonly cgroups?: CgroupHost;
  /** The devices of plugins on the node. */
  readonly devices?: DeviceManager;
  /** The devices of resource claims. */
  readonly claims?: ClaimManager;
  /** How the machine is built, and what outlives the kubelet: needed by policies that pin containers. */
  readonly machine?: { readonly topology: MachineTopology; readonly checkpoints: Checkpoints };
  /** Reads the node's resolv.conf; without it, pods with dnsPolicy Default get no resolver configuration. */
  readonly readResolvConf?: () => Promise<string>;
  /** Whether images report the user that they run as; true by default. */
  readonly imagesTellUsers?: boolean;
  /** Credentials for registries from outside of the cluster. */
  readonly credentialProviders?: CredentialProviders;
  /** The files that containers write their logs to; none are rotated or removed without it. */
  readonly podLogFiles?: LogFiles;
  /** What is left of the machine. Without it the node is never under pressure. */
  readonly host?: HostUsageSource;
  /** Where the node has pods from beside the API. */
  readonly staticPods?: readonly StaticPodSource[];
  /** What differs from the defaults. */
  readonly settings?: Partial<KubeletSettings>;
  readonly metrics?: Metrics;
  /** The text of `/metrics`; empty unless given. */
  readonly renderMetrics?: () => string;
  /** Where containers write their logs; there are none unless given. */
  readonly logs?: LogSource;
  /** The logs of the machine; the kubelet's server shows none without it. */
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
  /** Removes the not-ready taint of a node by itself, where no controller does. */
  readonly clearNotReadyTaint?: boolean;
  /** False where others write the node's status. */
  readonly reportsNodeStatus?: boolean;
  /** The node from a watch, where there is one; read from the API otherwise. */
  readonly watchedNode?: () => Node | undefined;
  /** Interval of runtime status checks; five seconds by default. */
  readonly healthPeriod?: Millis;
  /** How often the host is looked at for what it runs out of; every ten seconds unless stated. */
  readonly evictionPeriod?: Millis;
  /** The node's lease is first written within this time; at once unless stated. */
  readonly firstLeaseWithin?: Millis;
}
