import type { Node, Pod } from '@coracle/api';
import { parseQuantity } from '@coracle/apimachinery';
import {
  type Activity,
  type Clock,
  DisposableStack,
  every,
  type Logger,
  type Metrics,
  type Millis,
  type Random,
  type Tracer,
} from '@coracle/base';
import type { Client, EventRecorder } from '@coracle/client';
import { ContainerEventType, type Image, type ImageService, type RuntimeService } from '@coracle/cri';
import { PodCertificates, type PodCertificatesOptions } from './certificates/pod-certificates.js';
import type { PodKeys } from './certificates/pod-keys.js';
import type { CgroupHost } from './cgroups/cgroup-host.js';
import { PodCgroups } from './cgroups/pod-cgroups.js';
import type { Checkpoints } from './checkpoints.js';
import { nodeReference } from './container-reference.js';
import type { ClaimManager } from './devices/claim-manager.js';
import type { DeviceManager } from './devices/device-manager.js';
import { EvictionManager } from './eviction/eviction-manager.js';
import { ContainerGarbage } from './garbage/container-garbage.js';
import { ImageGarbage } from './garbage/image-garbage.js';
import type { HostUsageSource } from './host-usage.js';
import type { CredentialProviders } from './images/credential-providers.js';
import { PullQueue } from './images/pull-queue.js';
import type { KubeletParts } from './kubelet-parts.js';
import { limitedEvents } from './limited-events.js';
import { logEnds } from './logs/log-end.js';
import type { LogFiles } from './logs/log-files.js';
import { LogRotation } from './logs/log-rotation.js';
import type { LogSource } from './logs/log-source.js';
import { nodeAllocatable } from './node-allocatable.js';
import type { NodeDescription } from './node-description.js';
import { NodeLease } from './node-lease.js';
import { NodeReporter } from './node-status.js';
import { PodArrivals } from './pod-arrivals.js';
import { PodEvents } from './pod-events.js';
import type { PodFailure } from './pod-failure.js';
import type { PodReferences } from './pod-references.js';
import type { PodSource } from './pod-source.js';
import { PodWorkers } from './pod-workers.js';
import { ProbeCounts } from './probes/probe-counts.js';
import { ProbeManager } from './probes/probe-manager.js';
import type { Prober } from './probes/prober.js';
import { RestartBackoff } from './restart-backoff.js';
import { parseResolvConf } from './runtime-config/dns-config.js';
import type { ImageUser } from './runtime-config/security-context.js';
import { RuntimeHealth } from './runtime-health.js';
import type { NodeAccess } from './server/node-access.js';
import type { NodeLogs } from './server/node-logs.js';
import { nodePages } from './server/node-pages.js';
import { createNodeServer, type NodeServer } from './server/node-server.js';
import type { RuntimeStreams } from './server/runtime-streams.js';
import { defaultSettings, type KubeletSettings } from './settings.js';
import { NodeShutdown } from './shutdown/node-shutdown.js';
import { MirrorPods } from './static-pods/mirror-pods.js';
import { followStaticPods, type StaticPodSource } from './static-pods/static-pods.js';
import type { HostStatsSource } from './stats/host-stats.js';
import { StatsCollector } from './stats/stats-collector.js';
import { StatusManager } from './status/status-manager.js';
import type { MachineTopology } from './topology/machine-topology.js';
import { PodPinning } from './topology/pod-pinning.js';
import { UserNamespaces } from './user-namespaces.js';
import { expandVolumes } from './volumes/expand-volumes.js';
import { PodVolumes } from './volumes/pod-volumes.js';
import { tokenRequester } from './volumes/request-token.js';
import { defaultRoot } from './volumes/volume-directory.js';
import type { VolumeHost } from './volumes/volume-host.js';
import { VolumeRefresher } from './volumes/volume-refresher.js';

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
  /** Sets up volumes on the machine; nothing is set up without it. */
  readonly volumeHost?: VolumeHost;
  /** Where the cgroups of pods are made; the runtime makes its own without it. */
  readonly cgroups?: CgroupHost;
  /** The devices of plugins on the node. */
  readonly devices?: DeviceManager;
  /** The devices of resource claims. */
  readonly claims?: ClaimManager;
  /** How the machine is built, and what outlives the kubelet: needed by policies that pin containers. */
  readonly machine?: { readonly topology: MachineTopology; readonly checkpoints: Checkpoints };
  /** Reads the node's resolv.conf; pods that resolve names as the node does get nothing without it. */
  readonly readResolvConf?: () => Promise<string>;
  /** Whether images tell whom they run as; true unless stated. */
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
  readonly hostStats?: HostStatsSource;
  /** Authentication and authorization of the kubelet's server; without it every client that reaches it is allowed. */
  readonly access?: NodeAccess;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly activity: Activity;
  readonly recorder: EventRecorder;
  /** Removes the taint of a node that is not ready by itself, where no controller does. */
  readonly clearNotReadyTaint?: boolean;
  /** False where others write the node's status. */
  readonly reportsNodeStatus?: boolean;
  /** The node as a watch has it, where there is one; the API is asked otherwise. */
  readonly watchedNode?: () => Node | undefined;
  /** How often the runtime is asked how it is; every five seconds unless stated. */
  readonly healthPeriod?: Millis;
  /** How often the host is looked at for what it runs out of; every ten seconds unless stated. */
  readonly evictionPeriod?: Millis;
  /** The node's lease is first written within this time; at once unless stated. */
  readonly firstLeaseWithin?: Millis;
}

export interface Kubelet extends AsyncDisposable {
  readonly nodeName: string;
  /** As the API had it last; `undefined` before it is registered. */
  readonly node: Node | undefined;
  /** Every pod that it has, however far it has come. */
  pods(): readonly Pod[];
  /** The machine is about to be switched off: pods end, by priority. Resolves when they have, or had their time. */
  shutDown(): Promise<void>;
  /** It is not switched off after all. */
  cancelShutdown(): void;
  /** Who has CPUs for itself. */
  readonly pinning: PodPinning | undefined;
  /** Reports the node's status now, if it is another than before. */
  report(): void;
  /** Registers the node and begins to run its pods. */
  start(): Promise<void>;
  /** Logs, exec, attach, port-forward, statistics and metrics over HTTP, without a socket. */
  readonly server: NodeServer;
}

/** All that was given, with what follows from it. */
interface Setup extends Omit<KubeletOptions, 'settings' | 'host'> {
  readonly settings: KubeletSettings;
  readonly host: HostUsageSource | undefined;
  readonly probeCounts: ProbeCounts;
}

/** The agent of one node: runs the node's pods through a container runtime, and reports on them and on the node. */
export function createKubelet(kubeletOptions: KubeletOptions): Kubelet {
  const settings = { ...defaultSettings, ...kubeletOptions.settings };
  const options: Setup = {
    ...kubeletOptions,
    host: kubeletOptions.host,
    probeCounts: new ProbeCounts(),
    recorder: limitedEvents(kubeletOptions.recorder, kubeletOptions.clock),
    settings,
    node: {
      ...kubeletOptions.node,
      allocatable: kubeletOptions.node.allocatable ?? nodeAllocatable(kubeletOptions.node.capacity, settings),
    },
  };
  return new NodeKubelet(options);
}

/** A class: nodes are many, and an object with accessors of its own takes four times the memory. */
class NodeKubelet implements Kubelet {
  readonly #options: Setup;
  readonly #stack = new DisposableStack();
  #running: RunningKubelet | undefined;
  #server: NodeServer | undefined;

  constructor(options: Setup) {
    this.#options = options;
  }

  get nodeName(): string {
    return this.#options.nodeName;
  }

  get node(): Node | undefined {
    return this.#running?.reporter.node;
  }

  get pinning(): PodPinning | undefined {
    return this.#running?.parts.pinning;
  }

  /** Made for the first who wants it: most simulated nodes are never asked for anything. */
  get server(): NodeServer {
    this.#server ??= makeServer(this.#options, () => this.#running);
    return this.#server;
  }

  pods(): readonly Pod[] {
    return this.#running?.workers.all() ?? [];
  }

  report(): void {
    void this.#running?.reporter.check();
  }

  async shutDown(): Promise<void> {
    await this.#running?.shutdown.begin();
  }

  cancelShutdown(): void {
    this.#running?.shutdown.cancel();
  }

  start(): Promise<void> {
    return start(this.#options, this.#stack, (running) => {
      this.#running = running;
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack[Symbol.asyncDispose]();
  }
}

/** What a kubelet's server shows, once it runs. */
interface RunningKubelet {
  readonly reporter: NodeReporter;
  readonly workers: PodWorkers;
  readonly parts: KubeletParts;
  readonly shutdown: NodeShutdown;
}

const noLogs: LogSource = { open: async () => undefined };

function makeServer(options: Setup, running: () => RunningKubelet | undefined): NodeServer {
  const { logs = noLogs, renderMetrics = () => '', hostStats, volumeHost } = options;
  const pods = () => {
    const { workers, parts } = running() ?? {};
    return workers?.all().map((pod) => ({ ...pod, status: parts?.statuses.statusOf(pod) ?? {} })) ?? [];
  };
  const stats = new StatsCollector({ ...options, pods, hostStats, volumeHost });
  const renderProbes = () => options.probeCounts.render();
  const check = () => {
    const problem = running()?.parts.health.runtimeProblem;
    if (problem !== undefined) throw new Error(problem);
  };
  const pages = nodePages({ ...options, stats, renderMetrics, renderProbes, hostStats });
  return createNodeServer({ ...options, logs, pods, pages, check });
}

async function start(
  options: Setup,
  stack: DisposableStack,
  onRunning: (running: RunningKubelet) => void,
): Promise<void> {
  const { nodeName, node: description, runtime, pods, recorder, volumeHost } = options;
  const { runtimeName = '' } = await runtime.version({});
  const health = stack.use(
    new RuntimeHealth({
      ...options,
      alsoWrong: () => events.problem,
      shutdown: () => shutdown.problem,
      onRecovered: () => workers.wakeAll(),
    }),
  );
  const mirrors = new MirrorPods({ ...options, node: () => reporter.node });
  const parts = makeParts(options, {
    runtimeName,
    health,
    mirrors,
    onProbe: (uid) => workers.wake(uid),
    activePods: () => workers.active(),
    onShared: () => workers.wakeAll(),
    certificates: podCertificates(options, stack, (pod, { isRenewed }) => {
      parts.volumes.retry(pod);
      if (isRenewed) void parts.volumes.refresh(pod);
      else workers.wake(pod.metadata.uid ?? '');
    }),
  });
  stack.use(parts.statuses);
  stack.use(parts.probes);
  stack.use(parts.logRotation);
  const workers = stack.use(new PodWorkers(parts));
  const remainsOf = (uid: string) => (arrivals.complete ? workers.remainsOf(uid) : 'active');
  const garbage = stack.use(new ContainerGarbage({ ...options, remainsOf }));
  const images = stack.use(new ImageGarbage(options));
  const eviction = stack.use(evictionManager(options, workers, { garbage, images }));
  const events = stack.use(followRuntime(options, workers, garbage));
  const pressures = () => eviction.conditions;
  const volumesInUse = () => parts.volumes.inUse;
  const reporter = stack.use(new NodeReporter({ ...options, description, health, pressures, volumesInUse }));
  const shutdown = nodeShutdown(options, workers, () => void reporter.check());
  onRunning({ reporter, workers, parts, shutdown });
  const arrivals = new PodArrivals({
    parts,
    workers,
    node: () => reporter.node,
    refusalUnderPressure: (pod) => shutdown.refusal ?? eviction.refusalOf(pod),
  });
  await options.devices?.start();
  await options.claims?.start();
  await parts.pinning?.start();
  await parts.userNamespaces.start();
  await reporter.start();
  stack.use(new NodeLease({ ...options, node: () => reporter.node }));
  recorder.event(nodeReference(nodeName), 'Normal', 'Starting', 'Starting kubelet.');
  await arrivals.readLeftOver();
  for (const source of options.staticPods ?? []) stack.use(followStaticPods(options, source, arrivals.fromNode));
  // Only where files are real: simulated nodes are many, and read volumes on demand.
  const refresher =
    volumeHost?.files && stack.use(new VolumeRefresher({ ...options, ...parts, activePods: () => workers.active() }));
  stack.use(pods.follow(nodeName, refresher?.watching(arrivals.fromApi) ?? arrivals.fromApi));
  const removeOrphans = async () => {
    if (arrivals.complete) await removeWhatIsLeft(parts, (uid) => workers.remainsOf(uid) !== 'gone');
  };
  if (volumeHost) stack.use(refreshVolumes(options, { parts, workers, removeOrphans }));
  if (volumeHost?.expand) stack.use(expandLoop(options, parts, workers));
  void pods.synced().then(async () => {
    await arrivals.finish();
    await removeOrphans().catch((error) => options.logger.error('Failed to clean up after deleted pods', { error }));
  });
}

function evictionManager(
  options: Setup,
  workers: PodWorkers,
  { garbage, images }: { readonly garbage: ContainerGarbage; readonly images: ImageGarbage },
): EvictionManager {
  return new EvictionManager({
    ...options,
    measure: options.volumeHost?.measure,
    activePods: () => workers.active(),
    evict: endingBy(workers),
    reclaimDisk: async () => {
      await garbage.collect(true);
      await images.removeUnused();
    },
  });
}

/** Fails a pod; resolves when nothing of it runs any more. */
function endingBy(workers: PodWorkers): (pod: Pod, failure: PodFailure, graceSeconds?: number) => Promise<void> {
  return ({ metadata: { uid = '' } }, failure, graceSeconds) => {
    workers.fail(uid, failure, graceSeconds);
    return workers.terminated(uid);
  };
}

function nodeShutdown(options: Setup, workers: PodWorkers, onChange: () => void): NodeShutdown {
  return new NodeShutdown({
    ...options,
    activePods: () => workers.active(),
    end: endingBy(workers),
    onChange,
  });
}

/** Removes what is left on the machine of pods that are not known. */
async function removeWhatIsLeft(parts: KubeletParts, isKnown: (podUid: string) => boolean): Promise<void> {
  await parts.cgroups.removeOrphans(isKnown);
  await parts.devices?.release(isKnown);
  await parts.claims?.release(isKnown);
  await parts.pinning?.release(isKnown);
  await parts.userNamespaces.release(isKnown);
  await parts.volumes.removeOrphans(isKnown);
  await parts.logRotation.removeOrphans(isKnown);
}

/** What ends leaves something behind that may be removed. */
function followRuntime(options: Setup, workers: PodWorkers, garbage: ContainerGarbage): PodEvents {
  return new PodEvents({
    ...options,
    onEvent: (event) => {
      if (event.containerEventType === ContainerEventType.CONTAINER_STOPPED_EVENT) garbage.note();
      workers.onEvent(event);
    },
    onChange: (uid) => {
      garbage.note();
      workers.wake(uid);
    },
  });
}

/** Objects that volumes show may change: their files follow within a while. */
function refreshVolumes(
  { clock, random, logger, settings }: Setup,
  { parts, workers, removeOrphans }: { parts: KubeletParts; workers: PodWorkers; removeOrphans: () => Promise<void> },
): Disposable {
  const refresh = async () => {
    for (const pod of workers.active()) await parts.volumes.refresh(pod);
    await removeOrphans();
  };
  // Spread, so that many nodes that started together do not do it together.
  return every(clock, settings.syncFrequency * (1 + 0.5 * random.next()), () => {
    refresh().catch((error) => logger.error('Failed to update volumes', { error }));
  });
}

const expansionPeriodMs: Millis = 10_000;

/** Volumes may become larger while pods use them. */
function expandLoop(options: Setup, parts: KubeletParts, workers: PodWorkers): Disposable {
  const { clock, logger, volumeHost: host } = options;
  if (!host) return { [Symbol.dispose]: () => undefined };
  const expand = async () => {
    for (const pod of workers.active())
      if (parts.volumes.usesDrivers(pod))
        await expandVolumes({ ...options, host, inputFor: (one) => parts.volumes.inputFor(one) }, pod);
  };
  return every(clock, expansionPeriodMs, () => {
    expand().catch((error) => logger.error('Volumes could not be expanded', { error }));
  });
}

function podCertificates(
  options: Setup,
  stack: DisposableStack,
  onIssued: PodCertificatesOptions['onIssued'],
): PodCertificates | undefined {
  const { podKeys: keys } = options;
  return keys && stack.use(new PodCertificates({ ...options, keys, onIssued }));
}

interface PartsInput extends Pick<KubeletParts, 'runtimeName' | 'health' | 'mirrors'> {
  readonly onProbe: (podUid: string) => void;
  /** Containers that share CPUs have others. */
  readonly onShared: () => void;
  readonly certificates: PodCertificates | undefined;
  readonly activePods: () => readonly Pod[];
}

function makeParts(options: Setup, input: PartsInput): KubeletParts {
  const { runtimeName, health, mirrors, onProbe, onShared, activePods, certificates } = input;
  const { node, cgroups: host, ...rest } = options;
  const { capacity } = node;
  const { nodeName, client, references, clock, recorder, volumeHost, settings } = options;
  const hostIps = node.addresses.filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
  const allocatable = node.allocatable ?? node.capacity;
  const requestToken = tokenRequester(client, clock);
  // Volumes are made before the pod has an address, so none of their files can hold one.
  const root = volumeHost?.root ?? defaultRoot;
  const place = { nodeName, hostIps, podIps: [], references, allocatable, requestToken, root, certificates };
  return {
    ...rest,
    runtimeName,
    health,
    mirrors,
    hostIps,
    allocatable,
    cgroups: new PodCgroups({ ...options, host, capacity, activePods }),
    ...(options.machine && {
      pinning: new PodPinning({ ...options.machine, settings, devices: options.devices, onChange: onShared }),
    }),
    userNamespaces: new UserNamespaces(options.machine?.checkpoints),
    logRotation: new LogRotation(options),
    memoryCapacity: parseQuantity(capacity['memory'] ?? '0').value(),
    rootDirectory: root,
    nodeDns: async () => parseResolvConf((await options.readResolvConf?.()) ?? ''),
    imageUserOf: (image) => (options.imagesTellUsers === false ? undefined : imageUser(image)),
    pulls: new PullQueue(settings.maxParallelImagePulls),
    volumes: new PodVolumes({
      clock,
      recorder,
      host: volumeHost,
      certificates,
      inputFor: (pod) => ({ ...place, pod }),
      readLogEnd: options.logs && logEnds(options.logs, clock),
    }),
    backoff: new RestartBackoff(clock),
    statuses: new StatusManager({ ...options, mirrorOf: (pod) => mirrors.of(pod) }),
    probes: new ProbeManager({ ...options, counts: options.probeCounts, onChange: onProbe }),
  };
}

/** An image that does not say runs as root. */
function imageUser({ uid, username }: Image): ImageUser {
  if (uid?.value !== undefined) return { uid: uid.value };
  return username ? { username } : { uid: 0 };
}
