import type { Activity, Clock, Logger, Random, Tracer } from '@coracle/base';
import type { Client, EventRecorder } from '@coracle/client';
import type { DNSConfig, Image, ImageService, RuntimeService } from '@coracle/cri';
import type { PodCgroups } from './cgroups/pod-cgroups.js';
import type { ClaimManager } from './devices/claim-manager.js';
import type { DeviceManager } from './devices/device-manager.js';
import type { CredentialProviders } from './images/credential-providers.js';
import type { PullQueue } from './images/pull-queue.js';
import type { PodLogs } from './logs/pod-logs.js';
import type { PodReferences } from './pod-references.js';
import type { ProbeManager } from './probes/probe-manager.js';
import type { Prober } from './probes/prober.js';
import type { RestartBackoff } from './restart-backoff.js';
import type { ImageUser } from './runtime-config/security-context.js';
import type { RuntimeHealth } from './runtime-health.js';
import type { KubeletSettings } from './settings.js';
import type { MirrorPods } from './static-pods/mirror-pods.js';
import type { PodCounts } from './stats/pod-counts.js';
import type { StatusManager } from './status/status-manager.js';
import type { PodPinning } from './topology/pod-pinning.js';
import type { UserNamespaces } from './user-namespaces.js';
import type { PodVolumes } from './volumes/pod-volumes.js';

/** The parts of a kubelet. Only its assembly uses all of them: see `Needs`. */
export interface KubeletParts {
  readonly nodeName: string;
  readonly client: Client;
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  readonly pulls: PullQueue;
  readonly credentialProviders?: CredentialProviders;
  readonly prober: Prober;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly activity: Activity;
  readonly recorder: EventRecorder;
  readonly health: Pick<RuntimeHealth, 'runtimeProblem' | 'networkProblem' | 'supportsUserNamespaces'>;
  /** Back-off of containers that keep failing. */
  readonly backoff: RestartBackoff;
  /** Back-off of image pulls. */
  readonly imageBackoff: RestartBackoff;
  readonly statuses: StatusManager;
  readonly probes: ProbeManager;
  readonly counts: PodCounts;
  readonly references: PodReferences;
  readonly volumes: PodVolumes;
  readonly mirrors: MirrorPods;
  /** Prefix of container ids in statuses: `containerd`. */
  readonly runtimeName: string;
  readonly cgroups: PodCgroups;
  /** Devices of device plugins; absent if there are none. */
  readonly devices?: DeviceManager;
  /** Devices of resource claims; absent if there are no drivers. */
  readonly claims?: ClaimManager;
  /** Exclusive CPUs and memory; absent if the topology of the machine is unknown. */
  readonly pinning?: PodPinning;
  readonly userNamespaces: UserNamespaces;
  readonly podLogs: PodLogs;
  readonly settings: KubeletSettings;
  /** Root directory of the kubelet: `/var/lib/kubelet`. */
  readonly rootDirectory: string;
  /** Content of the node's resolv.conf. */
  readonly nodeDns: () => Promise<Required<DNSConfig>>;
  /** The user of an image; `undefined` if the runtime does not report it. */
  readonly imageUserOf: (image: Image) => ImageUser | undefined;
  /** Memory of the node, in bytes. */
  readonly memoryCapacity: number;
  /** Allocatable resources of the node. */
  readonly allocatable: Readonly<Record<string, string>>;
  /** The node's addresses. */
  readonly hostIps: readonly string[];
}

/** The parts that a function needs: `Needs<'runtime' | 'clock'>`. */
export type Needs<P extends keyof KubeletParts> = Pick<KubeletParts, P>;
