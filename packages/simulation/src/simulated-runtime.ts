import type { Pod } from '@coracle/api';
import type { ApiResponse, Channel } from '@coracle/apimachinery';
import { type Clock, type Millis, type Random, sleep } from '@coracle/base';
import {
  type AttachRequest,
  type AttachResponse,
  type ContainerEventResponse,
  ContainerEventType,
  type ContainerStatusRequest,
  type ContainerStatusResponse,
  type CreateContainerRequest,
  type CreateContainerResponse,
  CriError,
  type ExecRequest,
  type ExecResponse,
  type ExecSyncRequest,
  type ExecSyncResponse,
  type GetEventsRequest,
  type ImageService,
  type ListContainersRequest,
  type ListContainersResponse,
  type ListPodSandboxRequest,
  type ListPodSandboxResponse,
  type ListPodSandboxStatsRequest,
  type ListPodSandboxStatsResponse,
  type PodSandboxConfig,
  type PodSandboxStatsRequest,
  type PodSandboxStatsResponse,
  type PodSandboxStatusRequest,
  type PodSandboxStatusResponse,
  type PortForwardRequest,
  type PortForwardResponse,
  type RemoveContainerRequest,
  type RemoveContainerResponse,
  type RemovePodSandboxRequest,
  type RemovePodSandboxResponse,
  type RunPodSandboxRequest,
  type RunPodSandboxResponse,
  type RuntimeService,
  type StartContainerRequest,
  type StartContainerResponse,
  type StatusResponse,
  type StopContainerRequest,
  type StopContainerResponse,
  type StopPodSandboxRequest,
  type StopPodSandboxResponse,
  type StreamContainersResponse,
  type StreamPodSandboxesResponse,
  type VersionResponse,
} from '@coracle/cri';
import type { HookRequest, LogSource, ProbeRequest, ProbeResult, Prober, RuntimeStreams } from '@coracle/kubelet';
import { AddressPool } from './address-pool.js';
import { annotationPrefix, behaviourOf, type ContainerBehaviour, quantityOf } from './behaviour.js';
import type { LogLine } from './container-log.js';
import { containerWithImage, isExpectedToEnd } from './container-of-pod.js';
import { EventStream } from './event-stream.js';
import { isSimulated } from './exec/commands.js';
import { SimulatedStreaming } from './exec/simulated-streaming.js';
import { SimulatedDisk } from './files/simulated-disk.js';
import type { ImageProgram } from './image-program.js';
import { hasLabels, matches } from './list-filters.js';
import { PodServers } from './network/pod-servers.js';
import type { ClusterNetwork } from './network/simulated-network.js';
import { askServer, probeServer, runProgram, stopOf } from './run-program.js';
import { probe } from './simulate-probe.js';
import { SimulatedContainer } from './simulated-container.js';
import type { TotalUse } from './simulated-host.js';
import { SimulatedImages } from './simulated-images.js';
import { simulatedLogs } from './simulated-logs.js';
import { SimulatedSandbox } from './simulated-sandbox.js';
import { statsOf } from './simulated-stats.js';
import type { UsageFunction } from './simulated-usage.js';
import { UnsimulatedCalls } from './unsimulated-calls.js';
import { UsageMeter } from './usage-meter.js';

export interface SimulatedRuntimeOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Source of pod addresses. */
  readonly podCidr?: string;
  /** The pod of a sandbox, if it is known: it reports which containers are expected to end. */
  readonly podOf?: (podUid: string) => Pod | undefined;
  /** The annotations of the node, which may define failures of its runtime or its network. */
  readonly annotations?: () => Readonly<Record<string, string>> | undefined;
  /** The function that runs as the containers of an image, if there is one. */
  readonly programOf?: (image: string) => ImageProgram | undefined;
  /** Handlers of HTTP requests to such functions. */
  readonly servers?: PodServers;
  /** Opens what pods reach by `wget` and `curl`, if there is a network. */
  readonly network?: () => (() => ClusterNetwork) | undefined;
  /** Says what containers use, if not their pods' annotations. */
  readonly usage?: () => UsageFunction | undefined;
}

/** A container runtime that simulates containers as the annotations of their pod describe. */
export interface SimulatedRuntime extends RuntimeService, Prober, RuntimeStreams {
  readonly images: ImageService;
  /** The volumes of the node. */
  readonly disk: SimulatedDisk;
  /** Resource usage of its containers and images. */
  readonly used: TotalUse;
  readonly logs: LogSource;
  /** The log of the newest container of that name in the pod. */
  logsOf(podUid: string, container: string): readonly LogLine[];
}

export const runtimeName = 'containerd';
export const runtimeVersion = '2.1.4';
const uidLabel = 'io.kubernetes.pod.uid';
/** The resolution of numbers of this size: the distance to the next larger one. */
const nanosStep = 256;
const killedCode = 137;
/** The conditions of the runtime in the node's annotations. */
const conditionAnnotations = {
  RuntimeReady: ['runtime-not-ready', 'ContainerdNotReady'],
  NetworkReady: ['network-not-ready', 'NetworkPluginNotReady'],
} as const;
const volumeUse = /\/pods\/([^/]+)\/volumes\/[^/]+\/([^/]+)$/;

export function createSimulatedRuntime(options: SimulatedRuntimeOptions): SimulatedRuntime {
  return new Runtime(options);
}

class Runtime extends UnsimulatedCalls implements SimulatedRuntime {
  readonly images: ImageService;
  readonly disk: SimulatedDisk;
  readonly #options: SimulatedRuntimeOptions;
  readonly #images: SimulatedImages;
  readonly #addresses: AddressPool;
  readonly #sandboxes = new Map<string, SimulatedSandbox>();
  readonly #containers = new Map<string, SimulatedContainer>();
  readonly #events = new EventStream<ContainerEventResponse>();
  #streaming: SimulatedStreaming | undefined;
  readonly #usage: UsageMeter;
  #lastStamp = 0;
  #lastId = 0;

  constructor(options: SimulatedRuntimeOptions) {
    super();
    this.#options = options;
    this.#addresses = new AddressPool(options.podCidr ?? '10.244.0.0/24');
    this.#images = new SimulatedImages({
      clock: options.clock,
      behaviourOf: ({ sandboxConfig = {}, image }) => {
        const pod = options.podOf?.(sandboxConfig.metadata?.uid ?? '');
        return this.#behaviour(sandboxConfig, containerWithImage(pod, image?.image ?? ''), []);
      },
    });
    this.images = this.#images;
    this.#usage = new UsageMeter(options);
    this.disk = new SimulatedDisk((directory) => this.#declaredIn(directory));
  }

  /** Made for the first container: most simulated nodes run none. */
  get #streams(): SimulatedStreaming {
    this.#streaming ??= new SimulatedStreaming({
      ...this.#options,
      containerOf: (id) => this.#containerOf(id),
      sandboxOf: (id) => this.#sandboxOf(id),
      podOf: (uid) => this.#options.podOf?.(uid),
      send: () => {
        const open = this.#options.network?.();
        return open && ((request, from) => open().fetch(request, { from }));
      },
      disk: this.disk,
    });
    return this.#streaming;
  }

  connect(url: string, protocols: readonly string[]): Promise<Channel | ApiResponse> {
    return this.#streams.server.connect(url, protocols);
  }

  version(): Promise<VersionResponse> {
    return Promise.resolve({ version: '0.1.0', runtimeName, runtimeVersion, runtimeApiVersion: 'v1' });
  }

  status(): Promise<StatusResponse> {
    const annotations = this.#options.annotations?.() ?? {};
    const conditions = Object.entries(conditionAnnotations).map(([type, [name, reason]]) => {
      const message = annotations[annotationPrefix + name];
      return message === undefined ? { type, status: true } : { type, status: false, reason, message };
    });
    const runtimeHandlers = [{ name: '', features: { userNamespaces: true } }];
    const features = { supplementalGroupsPolicy: true };
    return Promise.resolve({ status: { conditions }, runtimeHandlers, features });
  }

  async podSandboxStats({ podSandboxId = '' }: PodSandboxStatsRequest): Promise<PodSandboxStatsResponse> {
    return { stats: statsOf(this.#sandboxOf(podSandboxId), this.#stamp(), this.#usage.measure) };
  }

  async listPodSandboxStats({ filter = {} }: ListPodSandboxStatsRequest): Promise<ListPodSandboxStatsResponse> {
    const { id, labelSelector } = filter;
    const sandboxes = [...this.#sandboxes.values()].filter(
      (sandbox) => sandbox.ready && (!id || sandbox.id === id) && hasLabels(sandbox.status.labels, labelSelector),
    );
    return { stats: sandboxes.map((sandbox) => statsOf(sandbox, this.#stamp(), this.#usage.measure)) };
  }

  /** Usage of its images and all running containers. */
  get used(): TotalUse {
    return this.#usage.total(this.#images.bytes);
  }

  async runPodSandbox({ config = {} }: RunPodSandboxRequest): Promise<RunPodSandboxResponse> {
    const message = config.annotations?.[`${annotationPrefix}sandbox-error`];
    if (message !== undefined) throw new CriError('Unknown', message);
    const onHost = config.linux?.securityContext?.namespaceOptions?.network === 2;
    const ip = onHost ? undefined : this.#takeAddress();
    const sandbox = new SimulatedSandbox({ id: this.#newId(), config, ip, createdAt: this.#stamp() });
    this.#sandboxes.set(sandbox.id, sandbox);
    this.#publish(ContainerEventType.CONTAINER_CREATED_EVENT, sandbox.id, sandbox);
    this.#publish(ContainerEventType.CONTAINER_STARTED_EVENT, sandbox.id, sandbox);
    return { podSandboxId: sandbox.id };
  }

  async stopPodSandbox({ podSandboxId = '' }: StopPodSandboxRequest): Promise<StopPodSandboxResponse> {
    const sandbox = this.#sandboxes.get(podSandboxId);
    if (!sandbox?.ready) return {};
    for (const container of sandbox.containers) if (container.running) this.#exit(container, killedCode);
    sandbox.stop();
    if (sandbox.ip) this.#addresses.giveBack(sandbox.ip);
    this.#publish(ContainerEventType.CONTAINER_STOPPED_EVENT, sandbox.id, sandbox);
    return {};
  }

  async removePodSandbox({ podSandboxId = '' }: RemovePodSandboxRequest): Promise<RemovePodSandboxResponse> {
    const sandbox = this.#sandboxes.get(podSandboxId);
    if (!sandbox) return {};
    await this.stopPodSandbox({ podSandboxId });
    for (const { id } of [...sandbox.containers]) this.#remove(id);
    this.#sandboxes.delete(podSandboxId);
    this.#publish(ContainerEventType.CONTAINER_DELETED_EVENT, sandbox.id, sandbox);
    return {};
  }

  async podSandboxStatus({ podSandboxId = '' }: PodSandboxStatusRequest): Promise<PodSandboxStatusResponse> {
    const sandbox = this.#sandboxOf(podSandboxId);
    return {
      status: sandbox.status,
      containersStatuses: sandbox.containers.map(({ status }) => status),
      timestamp: this.#stamp(),
    };
  }

  async listPodSandbox({ filter = {} }: ListPodSandboxRequest): Promise<ListPodSandboxResponse> {
    const { id, state, labelSelector } = filter;
    const items = [...this.#sandboxes.values()].filter(
      (sandbox) =>
        (!id || sandbox.id === id) &&
        (state?.state === undefined || sandbox.status.state === state.state) &&
        hasLabels(sandbox.status.labels, labelSelector),
    );
    return { items: items.map(({ summary }) => summary) };
  }

  async createContainer(request: CreateContainerRequest): Promise<CreateContainerResponse> {
    const { podSandboxId = '', config = {} } = request;
    const sandbox = this.#sandboxOf(podSandboxId);
    const behaviour = this.#behaviour(sandbox.config, config.metadata?.name ?? '', [
      ...(config.command ?? []),
      ...(config.args ?? []),
    ]);
    if (behaviour.createError !== undefined) throw new CriError('Unknown', behaviour.createError);
    const container = new SimulatedContainer({
      id: this.#newId(),
      sandboxId: podSandboxId,
      config,
      behaviour,
      imageRef: this.#images.refOf(config.image?.userSpecifiedImage ?? config.image?.image ?? ''),
      createdAt: this.#stamp(),
    });
    this.#containers.set(container.id, container);
    sandbox.containers.push(container);
    this.#publish(ContainerEventType.CONTAINER_CREATED_EVENT, container.id, sandbox);
    return { containerId: container.id };
  }

  async startContainer({ containerId = '' }: StartContainerRequest): Promise<StartContainerResponse> {
    const container = this.#containerOf(containerId);
    const { startDelayMs, startError, exit, says } = container.behaviour;
    if (startDelayMs > 0) await sleep(this.#options.clock, startDelayMs);
    if (startError !== undefined) {
      this.#exit(container, 128, 'StartError');
      throw new CriError('Unknown', startError);
    }
    const sandbox = this.#sandboxOf(container.sandboxId);
    if (!sandbox.ready) throw new CriError('Unknown', `sandbox ${sandbox.id} is not running`);
    const now = this.#options.clock.now();
    container.started(this.#stamp(), now);
    this.#publish(ContainerEventType.CONTAINER_STARTED_EVENT, containerId, sandbox);
    this.#usage.add(container);
    if (this.#runProgram(container)) return {};
    this.#runMain(container);
    for (const text of says) container.log.write(text, now);
    if (exit) this.#exitAfter(container, exit.afterMs);
    return {};
  }

  async stopContainer({ containerId = '', timeout = 0 }: StopContainerRequest): Promise<StopContainerResponse> {
    const container = this.#containers.get(containerId);
    if (!container?.running) return {};
    const { stopDelayMs, stopCode } = stopOf(container);
    const killed = stopDelayMs > timeout * 1_000 || timeout <= 0;
    const waitMs = killed ? timeout * 1_000 : stopDelayMs;
    if (waitMs > 0) await this.#endedWithin(container, waitMs);
    if (container.running) this.#exit(container, killed ? killedCode : stopCode);
    return {};
  }

  async removeContainer({ containerId = '' }: RemoveContainerRequest): Promise<RemoveContainerResponse> {
    this.#remove(containerId);
    return {};
  }

  async listContainers({ filter = {} }: ListContainersRequest): Promise<ListContainersResponse> {
    const matching = [...this.#containers.values()].filter((container) => matches(container, filter));
    return { containers: matching.map(({ summary }) => summary) };
  }

  async containerStatus({ containerId = '' }: ContainerStatusRequest): Promise<ContainerStatusResponse> {
    return { status: this.#containerOf(containerId).status };
  }

  async execSync({ containerId = '', cmd = [], timeout = 0 }: ExecSyncRequest): Promise<ExecSyncResponse> {
    return this.#streams.runtime.execSync(this.#runningOf(containerId), cmd, timeout);
  }

  async exec(request: ExecRequest): Promise<ExecResponse> {
    this.#runningOf(request.containerId ?? '');
    return this.#streams.server.exec(request);
  }

  async attach(request: AttachRequest): Promise<AttachResponse> {
    this.#runningOf(request.containerId ?? '');
    return this.#streams.server.attach(request);
  }

  async portForward(request: PortForwardRequest): Promise<PortForwardResponse> {
    this.#sandboxOf(request.podSandboxId ?? '');
    return this.#streams.server.portForward(request);
  }

  /** Answers for a container's port, as its annotations say. */
  async probe(request: ProbeRequest): Promise<ProbeResult> {
    const container = this.#containers.get(request.containerId);
    if (!container?.running) return { outcome: 'failure', output: 'connection refused' };
    const { servers = new PodServers(), clock } = this.#options;
    return container.program ? probeServer(servers, request) : probe(container, request, clock.now());
  }

  /** A running container responds, whatever its annotations define for its health. */
  async callHook({ pod, container, containerId, action }: HookRequest): Promise<void> {
    const { running, program } = this.#containers.get(containerId) ?? {};
    const { servers = new PodServers() } = this.#options;
    const answer = program ? await askServer(servers, { pod, container, action }) : undefined;
    if (!running || (program && !answer)) throw new Error('connection refused');
  }

  getContainerEvents(_request: GetEventsRequest, signal?: AbortSignal): AsyncIterable<ContainerEventResponse> {
    return this.#events.open(signal);
  }

  async *streamPodSandboxes({ filter }: ListPodSandboxRequest): AsyncIterable<StreamPodSandboxesResponse> {
    const { items = [] } = await this.listPodSandbox(filter ? { filter } : {});
    yield { podSandboxes: items };
  }

  async *streamContainers({ filter }: ListContainersRequest): AsyncIterable<StreamContainersResponse> {
    yield await this.listContainers(filter ? { filter } : {});
  }

  readonly logs: LogSource = simulatedLogs((id) => this.#containers.get(id));

  logsOf(podUid: string, container: string): readonly LogLine[] {
    const named = [...this.#containers.values()].filter(
      ({ config }) => config.labels?.[uidLabel] === podUid && config.metadata?.name === container,
    );
    return named.at(-1)?.log.lines ?? [];
  }

  #behaviour(config: PodSandboxConfig, container: string, command: readonly string[]): ContainerBehaviour {
    const pod = this.#options.podOf?.(config.metadata?.uid ?? '');
    const endsByDefault = pod !== undefined && isExpectedToEnd(pod, container) && !isSimulated(command);
    return behaviourOf({ annotations: config.annotations ?? {}, container, endsByDefault });
  }

  /** True if a function runs as this container. */
  #runProgram(container: SimulatedContainer): boolean {
    const { programOf, podOf, clock, servers = new PodServers() } = this.#options;
    const { image, labels } = container.config;
    const program = programOf?.(image?.userSpecifiedImage || (image?.image ?? ''));
    const pod = podOf?.(labels?.[uidLabel] ?? '');
    if (!program || !pod) return false;
    container.program = runProgram({ container, program, pod, clock, servers });
    void container.program.ended.then((code) => container.running && this.#exit(container, code));
    return true;
  }

  /** A container ends with its command, if that is simulated. */
  #runMain(container: SimulatedContainer): void {
    const ended = this.#streams.runtime.runMain(container);
    // Not before the start itself has been answered.
    const end = (code: number) =>
      this.#options.clock.schedule(0, () => void (container.running && this.#exit(container, code)));
    void ended?.then((code) => container.running && container.timers.push(end(code)));
  }

  /** Size of a volume's content according to an annotation. */
  #declaredIn(directory: string): number {
    const [, uid = '', volume = ''] = volumeUse.exec(directory) ?? [];
    const annotations = this.#options.podOf?.(uid)?.metadata.annotations;
    return quantityOf(annotations?.[`${annotationPrefix}volume-usage.${volume}`]) ?? 0;
  }

  #exitAfter(container: SimulatedContainer, delayMs: Millis): void {
    const { code = 0, reason } = container.behaviour.exit ?? {};
    const end = () => this.#exit(container, code, reason);
    container.timers.push(this.#options.clock.schedule(delayMs, end));
  }

  #exit(container: SimulatedContainer, code: number, reason?: string): void {
    container.exited(this.#stamp(), code, reason);
    this.#usage.end(container);
    const sandbox = this.#sandboxes.get(container.sandboxId);
    if (sandbox) this.#publish(ContainerEventType.CONTAINER_STOPPED_EVENT, container.id, sandbox);
  }

  /** Waits `waitMs`, or until the container ends by itself. */
  #endedWithin(container: SimulatedContainer, waitMs: Millis): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.schedule(waitMs, resolve);
      container.onExit.add(() => {
        timer[Symbol.dispose]();
        resolve();
      });
    });
  }

  #remove(containerId: string): void {
    const container = this.#containers.get(containerId);
    if (!container) return;
    if (container.running) this.#exit(container, killedCode);
    container.forgetPlans();
    this.#containers.delete(containerId);
    const sandbox = this.#sandboxes.get(container.sandboxId);
    if (!sandbox) return;
    sandbox.containers.splice(sandbox.containers.indexOf(container), 1);
    this.#publish(ContainerEventType.CONTAINER_DELETED_EVENT, containerId, sandbox);
  }

  #publish(containerEventType: ContainerEventType, containerId: string, sandbox: SimulatedSandbox): void {
    if (!this.#events.read) return;
    const containersStatuses = sandbox.containers.map(({ status }) => status);
    const createdAt = this.#stamp();
    this.#events.publish({
      containerId,
      containerEventType,
      createdAt,
      podSandboxStatus: sandbox.status,
      containersStatuses,
    });
  }

  #takeAddress(): string {
    const address = this.#addresses.take();
    if (!address) throw new CriError('Unknown', 'failed to set up network: no IP addresses available in range set');
    return address;
  }

  /** The time in nanoseconds, later at every call: stamps are unique and ordered. */
  #stamp(): number {
    this.#lastStamp = Math.max(this.#options.clock.now() * 1e6, this.#lastStamp + nanosStep);
    return this.#lastStamp;
  }

  /** 64 hexadecimal digits, as containerd's: a part random, a part counted. */
  #newId(): string {
    this.#lastId++;
    const part = () =>
      Math.floor(this.#options.random.next() * 2 ** 48)
        .toString(16)
        .padStart(12, '0');
    return `${part()}${part()}${part()}${part()}${this.#lastId.toString(16).padStart(16, '0')}`;
  }

  #sandboxOf(id: string): SimulatedSandbox {
    const sandbox = this.#sandboxes.get(id);
    if (!sandbox) throw new CriError('NotFound', `an error occurred when try to find sandbox: not found: ${id}`);
    return sandbox;
  }

  #containerOf(id: string): SimulatedContainer {
    const container = this.#containers.get(id);
    if (!container) throw new CriError('NotFound', `an error occurred when try to find container "${id}": not found`);
    return container;
  }

  #runningOf(id: string): SimulatedContainer {
    const container = this.#containerOf(id);
    if (!container.running) throw new CriError('Unknown', `container ${id} is not running`);
    return container;
  }
}
