import type { Pod } from '@coracle/api';
import { parseQuantity } from '@coracle/apimachinery';
import { DisposableStack, every, type Millis } from '@coracle/base';
import { type Container, ContainerEventType, type Image, type PodSandbox } from '@coracle/cri';
import type { PodRejection } from './admit-pod.js';
import { PodCertificates, type PodCertificatesOptions } from './certificates/pod-certificates.js';
import { PodCgroups } from './cgroups/pod-cgroups.js';
import { ContainerGarbage } from './garbage/container-garbage.js';
import { ImageGarbage } from './garbage/image-garbage.js';
import { PullQueue } from './images/pull-queue.js';
import type { KubeletContext } from './kubelet-context.js';
import type { KubeletParts } from './kubelet-parts.js';
import { logEnds } from './logs/log-end.js';
import { LogRotation } from './logs/log-rotation.js';
import { PodLogs } from './logs/pod-logs.js';
import { PodArrivals } from './pod-arrivals.js';
import { PodEvents } from './pod-events.js';
import type { PodSink } from './pod-source.js';
import { PodWorkers } from './pod-workers.js';
import { ProbeCounts } from './probes/probe-counts.js';
import { ProbeManager } from './probes/probe-manager.js';
import { RestartBackoff } from './restart-backoff.js';
import { parseResolvConf } from './runtime-config/dns-config.js';
import type { ImageUser } from './runtime-config/security-context.js';
import type { RuntimeHealth } from './runtime-health.js';
import { MirrorPods } from './static-pods/mirror-pods.js';
import { PodCounts } from './stats/pod-counts.js';
import { StatusManager } from './status/status-manager.js';
import { PodPinning } from './topology/pod-pinning.js';
import { UserNamespaces } from './user-namespaces.js';
import { expandVolumes } from './volumes/expand-volumes.js';
import { PodVolumes } from './volumes/pod-volumes.js';
import { tokenRequester } from './volumes/request-token.js';
import { defaultRoot } from './volumes/volume-directory.js';
import { VolumeRefresher } from './volumes/volume-refresher.js';

export interface PodRunnerOptions {
  readonly context: KubeletContext;
  readonly runtimeName: string;
  readonly health: RuntimeHealth;
  /** Why the node takes no such pod now, whatever resources are free. */
  readonly refusalUnderPressure: (pod: Pod) => PodRejection | undefined;
}

/** The pods in a runtime when a kubelet starts. */
export interface LeftOverPods {
  readonly sandboxes: readonly PodSandbox[];
  readonly containers: readonly Container[];
}

/**
 * The parts of a kubelet that run pods. Created with the first pod to run or to clean up: thousands of nodes wait for
 * their first pod without it.
 */
export class PodRunner implements AsyncDisposable {
  readonly parts: KubeletParts;
  readonly workers: PodWorkers;
  readonly probeCounts: ProbeCounts = new ProbeCounts();
  readonly counts: PodCounts = new PodCounts();
  readonly #context: KubeletContext;
  readonly #stack = new DisposableStack();
  readonly #garbage: ContainerGarbage;
  readonly #images: ImageGarbage;
  readonly #events: PodEvents;
  readonly #arrivals: PodArrivals;
  readonly #fromApi: PodSink;

  constructor({ context, runtimeName, health, refusalUnderPressure }: PodRunnerOptions) {
    const stack = this.#stack;
    this.#context = context;
    this.parts = this.#makeParts(runtimeName, health);
    stack.use(this.parts.statuses);
    stack.use(this.parts.probes);
    stack.use(new LogRotation(context));
    stack.use(this.parts.cgroups);
    this.workers = stack.use(new PodWorkers(this.parts));
    const remainsOf = (uid: string) => (this.#arrivals.complete ? this.workers.remainsOf(uid) : 'active');
    this.#garbage = stack.use(new ContainerGarbage({ ...context, podLogs: this.parts.podLogs, remainsOf }));
    this.#images = stack.use(
      new ImageGarbage({ ...context, volumeImages: () => this.workers.all().flatMap(volumeImagesOf) }),
    );
    this.#events = stack.use(this.#followRuntime());
    const { parts, workers } = this;
    this.#arrivals = stack.use(new PodArrivals({ ...context, parts, workers, refusalUnderPressure }));
    this.#fromApi = this.#refreshing(this.#arrivals.fromApi);
    const { volumeHost } = context;
    if (volumeHost) stack.use(this.#refreshVolumes());
    if (volumeHost?.expand) stack.use(this.#expandLoop());
  }

  /** Error of the last relist of pods. */
  get problem(): string | undefined {
    return this.#events.problem;
  }

  /** The pods of the node in the API. */
  get fromApi(): PodSink {
    return this.#fromApi;
  }

  /** The node's static pods. */
  get fromNode(): PodSink {
    return this.#arrivals.fromNode;
  }

  /** Restores checkpoints, and receives the pods that the runtime still has. */
  async start(left: LeftOverPods): Promise<void> {
    await this.parts.pinning?.start();
    await this.parts.userNamespaces.start();
    await this.parts.cgroups.start();
    this.#arrivals.takeLeftOver(left);
  }

  /** All sources are complete: other pods are removed now. */
  async finish(): Promise<void> {
    await this.#arrivals.finish();
    await this.#removeOrphans().catch((error) =>
      this.#context.logger.error('Failed to clean up after deleted pods', { error }),
    );
  }

  async reclaimDisk(): Promise<void> {
    await this.#garbage.collect(true);
    await this.#images.removeUnused();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack[Symbol.asyncDispose]();
  }

  async #removeOrphans(): Promise<void> {
    const { parts, workers } = this;
    const isKnown = (uid: string) => workers.remainsOf(uid) !== 'gone';
    if (!this.#arrivals.complete) return;
    await parts.cgroups.removeOrphans(isKnown);
    await parts.devices?.release(isKnown);
    await parts.claims?.release(isKnown);
    await parts.pinning?.release(isKnown);
    await parts.userNamespaces.release(isKnown);
    await parts.volumes.removeOrphans(isKnown);
    await parts.podLogs.removeOrphans(isKnown);
  }

  /** Terminated containers and pods leave garbage. */
  #followRuntime(): PodEvents {
    return new PodEvents({
      ...this.#context,
      counts: this.counts,
      onEvent: (event) => {
        if (event.containerEventType === ContainerEventType.CONTAINER_STOPPED_EVENT) this.#garbage.note();
        this.workers.onEvent(event);
      },
      onChange: (uid) => {
        this.#garbage.note();
        this.workers.wake(uid);
      },
    });
  }

  /** Only if volumes have real files: there are many simulated nodes, and they read volumes on demand. */
  #refreshing(sink: PodSink): PodSink {
    const { parts } = this;
    if (!this.#context.volumeHost?.files) return sink;
    return this.#stack.use(new VolumeRefresher({ ...this.#context, ...parts })).watching(sink);
  }

  /** The objects behind volumes may change: their files are updated periodically. */
  #refreshVolumes(): Disposable {
    const { clock, random, logger, settings } = this.#context;
    const refresh = async () => {
      for (const pod of this.workers.active()) await this.parts.volumes.refresh(pod);
      await this.#removeOrphans();
    };
    // With jitter, so that nodes that started together are spread.
    return every(clock, settings.syncFrequency * (1 + 0.5 * random.next()), () => {
      refresh().catch((error) => logger.error('Failed to update volumes', { error }));
    });
  }

  /** Volumes may be expanded while pods use them. */
  #expandLoop(): Disposable {
    const { clock, logger, volumeHost: host } = this.#context;
    if (!host) return { [Symbol.dispose]: () => undefined };
    const { volumes } = this.parts;
    const expand = async () => {
      for (const pod of this.workers.active())
        if (volumes.usesDrivers(pod))
          await expandVolumes({ ...this.#context, host, inputFor: (one) => volumes.inputFor(one) }, pod);
    };
    return every(clock, expansionPeriodMs, () => {
      expand().catch((error) => logger.error('Volumes could not be expanded', { error }));
    });
  }

  #certificates(): PodCertificates | undefined {
    const { podKeys: keys } = this.#context;
    const onIssued: PodCertificatesOptions['onIssued'] = (pod, { isRenewed }) => {
      this.parts.volumes.retry(pod);
      if (isRenewed) void this.parts.volumes.refresh(pod);
      else this.workers.wake(pod.metadata.uid ?? '');
    };
    return keys && this.#stack.use(new PodCertificates({ ...this.#context, keys, onIssued }));
  }

  #makeParts(runtimeName: string, health: RuntimeHealth): KubeletParts {
    const context = this.#context;
    const { cgroups: host, description, settings, machine, clock, volumeHost } = context;
    const { capacity, addresses, allocatable = capacity } = description;
    const hostIps = addresses.filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
    const mirrors = new MirrorPods(context);
    const onShared = () => this.workers.wakeAll();
    return {
      ...context,
      runtimeName,
      health,
      mirrors,
      hostIps,
      allocatable,
      cgroups: new PodCgroups({ ...context, host, capacity }),
      ...(machine && {
        pinning: new PodPinning({ ...machine, settings, devices: context.devices, onChange: onShared }),
      }),
      userNamespaces: new UserNamespaces(machine?.checkpoints),
      podLogs: new PodLogs(context),
      memoryCapacity: parseQuantity(capacity['memory'] ?? '0').value(),
      rootDirectory: volumeHost?.root ?? defaultRoot,
      nodeDns: async () => parseResolvConf((await context.readResolvConf?.()) ?? ''),
      imageUserOf: (image) => (context.imagesTellUsers === false ? undefined : imageUser(image)),
      pulls: new PullQueue(clock, settings),
      volumes: this.#makeVolumes(hostIps, allocatable),
      backoff: new RestartBackoff(clock, settings.crashLoopBackOff.maxContainerRestartPeriod),
      imageBackoff: new RestartBackoff(clock),
      counts: this.counts,
      statuses: new StatusManager({ ...context, mirrorOf: (pod) => mirrors.of(pod) }),
      probes: new ProbeManager({
        ...context,
        hostIps,
        counts: this.probeCounts,
        onChange: (uid) => this.workers.onProbe(uid),
      }),
    };
  }

  #makeVolumes(hostIps: readonly string[], allocatable: Readonly<Record<string, string>>): PodVolumes {
    const { nodeName, client, references, clock, recorder, volumeHost, logs } = this.#context;
    const certificates = this.#certificates();
    const requestToken = tokenRequester(client, clock);
    const root = volumeHost?.root ?? defaultRoot;
    // Volumes are set up before the pod has an address, so their files cannot contain it.
    const place = { nodeName, hostIps, podIps: [], references, allocatable, requestToken, root, certificates };
    return new PodVolumes({
      clock,
      recorder,
      host: volumeHost,
      certificates,
      inputFor: (pod) => ({ ...place, pod }),
      readLogEnd: logs && logEnds(logs, clock),
    });
  }
}

const expansionPeriodMs: Millis = 10_000;

function volumeImagesOf({ spec }: Pod): string[] {
  return (spec?.volumes ?? []).flatMap(({ image }) => image?.reference ?? []);
}

/** An image without a user runs as root. */
function imageUser({ uid, username }: Image): ImageUser {
  if (uid?.value !== undefined) return { uid: uid.value };
  return username ? { username } : { uid: 0 };
}
