import { type Pod, refs } from '@coracle/api';
import {
  type Activity,
  type Clock,
  DisposableStack,
  type Logger,
  type Metrics,
  type Random,
  randomUuid,
  type Tracer,
} from '@coracle/base';
import {
  type BucketRateLimiter,
  type Client,
  createEventRecorder,
  createInformers,
  EventCorrelator,
  type InformerFactory,
  type Transport,
} from '@coracle/client';
import type { RuntimeService } from '@coracle/cri';
import {
  createKubelet,
  createPodSource,
  type Kubelet,
  type KubeletOptions,
  type KubeletSettings,
  kubeletVersion,
  type NodeDescription,
  type PodSource,
  watchReferences,
} from '@coracle/kubelet';
import { DeferredEvents } from './deferred-events.js';
import { fullImageName } from './image-name.js';
import type { ImageProgram } from './image-program.js';
import { Manifests } from './manifests.js';
import { PodServers } from './network/pod-servers.js';
import type { ClusterNetwork } from './network/simulated-network.js';
import { NodeLink, overLink, podsOverLink } from './node-link.js';
import { Paces } from './pace.js';
import { SimulatedHost } from './simulated-host.js';
import { createSimulatedRuntime, runtimeName, runtimeVersion, type SimulatedRuntime } from './simulated-runtime.js';
import type { UsageFunction } from './simulated-usage.js';
import type { Stage } from './stages/stage.js';
import { StagedNodes } from './stages/staged-nodes.js';
import { ThrottledPods } from './throttled-pods.js';

export interface SimulatedNodesOptions {
  readonly count: number;
  /** Nodes are named `<namePrefix>-1` and so on. */
  readonly namePrefix?: string;
  readonly clientFor: (user: string, groups: readonly string[], wrap?: (transport: Transport) => Transport) => Client;
  /** Groups of the nodes' users beside `system:nodes`. */
  readonly extraGroups?: readonly string[];
  /** Source of the pods; a watch of their own by default. Started by the caller that provides it. */
  readonly informers?: InformerFactory;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly activity: Activity;
  /** The control plane's own, if it shares this process: while it is busy, pods wait a little to be started. */
  readonly controlPlane?: Activity;
  readonly metrics?: Metrics;
  /** Limits how fast events are written, together with those of others. */
  readonly pace?: BucketRateLimiter;
  /** Removes the taint of new nodes themselves, where no controller does. */
  readonly clearNotReadyTaint?: boolean;
  /** Capacity of each node; 32 CPUs, 256 Gi of memory and 110 pods by default. */
  readonly capacity?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** Puts something between the kubelets and their runtimes, such as faults. */
  readonly wrapRuntime?: (runtime: RuntimeService, nodeName: string) => RuntimeService;
  /** Settings that differ from the kubelet's defaults. */
  readonly settings?: Partial<KubeletSettings>;
  /** KWOK's stages, which control pods and nodes instead of kubelets. */
  readonly stages?: readonly Stage[];
}

export interface SimulatedNodes extends AsyncDisposable {
  readonly names: readonly string[];
  /** Stops the node: no heartbeats and no pod syncs until it is started again. Its containers keep running. */
  stopNode(name: string): Promise<void>;
  startNode(name: string): Promise<void>;
  /** Disconnects the node from the API server in both directions; its kubelet and its pods continue. */
  cutOff(name: string): void;
  /** Ends that. */
  reconnect(name: string): void;
  /** Whether the API server reaches the node. */
  isReachable(name: string): boolean;
  /** Adds a node, with its differences from the others. */
  addNode(name: string, shape?: NodeShape): Promise<void>;
  /** Adds nodes under the names that follow; returns these. */
  addNodes(count: number, shape?: NodeShape): Promise<readonly string[]>;
  /** Implements the containers of an image with a function, instead of annotations. */
  setImage(name: string, program: ImageProgram): Disposable;
  /** Serves the ports of pods. */
  readonly servers: PodServers;
  runtimeOf(name: string): SimulatedRuntime | undefined;
  /** The machine of a node: `hostOf(name)?.say({ 'memory.available': '50Mi' })` puts it under pressure. */
  hostOf(name: string): SimulatedHost | undefined;
  /** The static pods of the node, as from files in a folder. */
  setManifests(name: string, pods: readonly Pod[]): void;
  /** Sets the usage of the containers of all nodes, instead of their pods' annotations. */
  setUsage(usage: UsageFunction | undefined): void;
  /** Says what pods reach by `wget` and `curl`: nothing until this is called. */
  setNetwork(network: () => ClusterNetwork): void;
  /** `undefined` while the node is stopped. */
  kubeletOf(name: string): Kubelet | undefined;
}

/** Properties of one node. */
export type NodeShape = Pick<NodeDescription, 'labels' | 'annotations' | 'taints'> & {
  readonly capacity?: Readonly<Record<string, string>>;
};

interface SimulatedNode {
  readonly link: NodeLink;
  readonly description: NodeDescription;
  readonly runtime: SimulatedRuntime;
  readonly host: SimulatedHost;
  readonly manifests: Manifests;
  kubelet: Kubelet | undefined;
  /** Its event recorder. */
  events: AsyncDisposable | undefined;
}

const defaultCapacity: Readonly<Record<string, string>> = {
  cpu: '32',
  'ephemeral-storage': '500Gi',
  'hugepages-1Gi': '0',
  'hugepages-2Mi': '0',
  memory: '256Gi',
  pods: '110',
};

/** Number of cached events per node: some for each of its pods. */
const eventsOfNode = 512;
/** Beyond this number nodes share a buffer: few of them report at a time. */
const mostRemembering = 64;

/** Starts nodes with real kubelets and simulated containers. They share one watch on pods. */
export async function startSimulatedNodes(options: SimulatedNodesOptions): Promise<SimulatedNodes> {
  const cluster = new NodeSet(options);
  const { count, namePrefix = 'coracle-node' } = options;
  await eachOf(
    Array.from({ length: count }, (_, index) => `${namePrefix}-${index + 1}`),
    (name) => cluster.addNode(name),
  );
  return cluster;
}

/** Number of nodes that register concurrently: each allocates memory that is garbage soon after. */
const mostAtATime = 200;

async function eachOf(names: readonly string[], run: (name: string) => Promise<void>): Promise<void> {
  const left = names.values();
  const runSome = async () => {
    for (const name of left) await run(name);
  };
  await Promise.all(Array.from({ length: Math.min(mostAtATime, names.length) }, runSome));
}

class NodeSet implements SimulatedNodes {
  readonly #options: SimulatedNodesOptions;
  readonly #shared: SharedByKubelets;
  readonly #stack = new DisposableStack();
  readonly #nodes = new Map<string, SimulatedNode>();
  readonly #pods: PodSource;
  readonly #informers: InformerFactory;
  readonly #references: ReturnType<typeof watchReferences>;
  readonly #events: DeferredEvents;
  readonly #correlator: EventCorrelator;
  /** By the full name of the image. */
  readonly #programs = new Map<string, ImageProgram>();
  readonly servers: PodServers = new PodServers();
  readonly #stages: StagedNodes | undefined;
  readonly #capacity: Readonly<Record<string, string>>;
  readonly #paces: Paces;
  #usage: UsageFunction | undefined;
  #network: (() => ClusterNetwork) | undefined;

  constructor(options: SimulatedNodesOptions) {
    this.#options = options;
    this.#shared = sharedByKubelets(options);
    this.#paces = new Paces(options);
    this.#capacity = { ...defaultCapacity, ...options.capacity };
    this.#events = new DeferredEvents(options);
    this.#correlator = new EventCorrelator(options.clock, eventsOfNode * Math.min(mostRemembering, options.count));
    this.#informers = options.informers ?? this.#ownInformers();
    const source = this.#stack.use(createPodSource(this.#informers));
    const { controlPlane } = options;
    this.#pods = controlPlane ? new ThrottledPods({ ...options, source, controlPlane }) : source;
    this.#references = watchReferences(this.#informers);
    this.#informers.for(refs.pods).addIndex(uidIndex, ({ metadata }) => (metadata.uid ? [metadata.uid] : []));
    const { stages = [] } = options;
    if (stages.length > 0)
      this.#stages = this.#stack.use(
        new StagedNodes({
          ...options,
          stages,
          informers: this.#informers,
          isUp: (name) => this.isReachable(name),
          descriptionOf: (name) => this.#nodes.get(name)?.description,
        }),
      );
  }

  get names(): readonly string[] {
    return [...this.#nodes.keys()];
  }

  async addNodes(count: number, shape?: NodeShape): Promise<readonly string[]> {
    const { namePrefix = 'coracle-node' } = this.#options;
    const added: string[] = [];
    for (let number = this.#nodes.size + 1; added.length < count; number++) {
      const name = `${namePrefix}-${number}`;
      if (!this.#nodes.has(name)) added.push(name);
    }
    await eachOf(added, (name) => this.addNode(name, shape));
    return added;
  }

  setImage(name: string, program: ImageProgram): Disposable {
    const image = fullImageName(name);
    this.#programs.set(image, program);
    return { [Symbol.dispose]: () => void (this.#programs.get(image) === program && this.#programs.delete(image)) };
  }

  async addNode(name: string, shape: NodeShape = {}): Promise<void> {
    const { clock, random } = this.#options;
    const number = this.#nodes.size;
    const podCidr = `10.${(244 + (number >> 8)) & 0xff}.${number & 0xff}.0/24`;
    const podOf = (uid: string) => this.#informers.for(refs.pods).byIndex(uidIndex, uid)[0];
    const description = withShape(this.#describe(name, number, podCidr), shape);
    const annotations = () => this.kubeletOf(name)?.node?.metadata.annotations;
    const runtime = createSimulatedRuntime({
      clock,
      random,
      podCidr,
      podOf,
      annotations,
      usage: () => this.#usage,
      programOf: (image) => this.#programs.get(fullImageName(image)),
      servers: this.servers,
      network: () => this.#network,
    });
    const { capacity } = description;
    this.#nodes.set(name, {
      link: new NodeLink(),
      description,
      runtime,
      host: new SimulatedHost({ clock, capacity, annotations, used: () => runtime.used }),
      manifests: new Manifests(),
      kubelet: undefined,
      events: undefined,
    });
    await this.startNode(name);
  }

  async startNode(name: string): Promise<void> {
    const node = this.#nodes.get(name);
    if (!node || node.kubelet) return;
    const { clientFor, extraGroups = [] } = this.#options;
    const shared = this.#shared;
    const { link } = node;
    const groups = ['system:nodes', ...extraGroups];
    const over = (transport: Transport) => overLink(transport, link);
    const client = clientFor(`system:node:${name}`, groups, over).withUserAgent('kubelet');
    const { clock, random, logger, activity } = shared;
    const { pace: eventPace } = this.#options;
    const written = { clock, random, logger, activity, client, ...(eventPace && { pace: eventPace }) };
    const correlator = this.#correlator;
    const events = createEventRecorder({ ...written, component: 'kubelet', host: name, correlator });
    const recorder = this.#events.behind(events);
    const { runtime, description, host, manifests } = node;
    const { periods, settings, clock: ownClock } = this.#paces.of(Math.max(this.#options.count, this.#nodes.size));
    const nodes = this.#informers.for(refs.nodes);
    node.kubelet = createKubelet({
      ...shared,
      nodeName: name,
      client,
      recorder,
      pods: this.#stages?.plays('Pod') ? noPods : podsOverLink(this.#pods, link),
      ...(this.#stages?.plays('Node') && { reportsNodeStatus: false }),
      runtime: this.#options.wrapRuntime?.(runtime, name) ?? runtime,
      images: runtime.images,
      prober: runtime,
      streams: runtime,
      imagesTellUsers: false,
      node: description,
      host,
      volumeHost: runtime.disk,
      logs: runtime.logs,
      hostStats: host,
      staticPods: [manifests],
      references: this.#references(client),
      watchedNode: () => (link.isCut ? undefined : nodes.get(name)),
      ...periods,
      settings,
      clock: ownClock,
    });
    node.events = events;
    await node.kubelet.start();
    this.#stages?.resume(name);
  }

  async stopNode(name: string): Promise<void> {
    const node = this.#nodes.get(name);
    const kubelet = node?.kubelet;
    if (!node || !kubelet) return;
    node.kubelet = undefined;
    await kubelet[Symbol.asyncDispose]();
    await node.events?.[Symbol.asyncDispose]();
  }

  cutOff(name: string): void {
    this.#nodes.get(name)?.link.cut();
  }

  reconnect(name: string): void {
    this.#nodes.get(name)?.link.mend();
    this.#stages?.resume(name);
  }

  isReachable(name: string): boolean {
    const node = this.#nodes.get(name);
    return node?.kubelet !== undefined && !node.link.isCut;
  }

  runtimeOf(name: string): SimulatedRuntime | undefined {
    return this.#nodes.get(name)?.runtime;
  }

  hostOf(name: string): SimulatedHost | undefined {
    return this.#nodes.get(name)?.host;
  }

  setManifests(name: string, pods: readonly Pod[]): void {
    this.#nodes.get(name)?.manifests.set(pods);
  }

  setUsage(usage: UsageFunction | undefined): void {
    this.#usage = usage;
  }

  setNetwork(network: () => ClusterNetwork): void {
    this.#network = network;
  }

  kubeletOf(name: string): Kubelet | undefined {
    return this.#nodes.get(name)?.kubelet;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await eachOf(this.names, (name) => this.stopNode(name));
    await this.#stack[Symbol.asyncDispose]();
  }

  #ownInformers(): InformerFactory {
    const { clientFor, extraGroups = [] } = this.#options;
    const shared = this.#shared;
    const client = clientFor('system:node:simulation', ['system:nodes', ...extraGroups]).withUserAgent('kubelet');
    const informers = this.#stack.use(createInformers({ ...shared, client }));
    informers.start();
    return informers;
  }

  #describe(name: string, number: number, podCidr: string): NodeDescription {
    const { random, labels, settings } = this.#options;
    const capacity = this.#capacity;
    const id = randomUuid(random);
    // The first address of the network is its gateway's.
    const host = number + 2;
    return {
      addresses: [
        { type: 'InternalIP', address: `172.${18 + (host >> 16)}.${(host >> 8) & 0xff}.${host & 0xff}` },
        { type: 'Hostname', address: name },
      ],
      capacity,
      ...(!keepsBack(settings) && { allocatable: capacity }),
      podCidr,
      ...(labels && { labels }),
      info: {
        architecture: 'amd64',
        bootID: randomUuid(random),
        containerRuntimeVersion: `${runtimeName}://${runtimeVersion}`,
        kernelVersion: '6.12.0-coracle',
        kubeProxyVersion: '',
        kubeletVersion,
        machineID: id.replaceAll('-', ''),
        operatingSystem: 'linux',
        osImage: 'Coracle simulated node',
        systemUUID: id,
      },
    };
  }
}

/** Options of all kubelets. */
type SharedByKubelets = Pick<
  KubeletOptions,
  'clock' | 'random' | 'logger' | 'tracer' | 'activity' | 'metrics' | 'clearNotReadyTaint' | 'settings'
>;

/** No more than they need: every part of a kubelet keeps a copy, and kubelets are many. */
function sharedByKubelets(options: SimulatedNodesOptions): SharedByKubelets {
  const { clock, random, logger, tracer, activity, metrics, clearNotReadyTaint, settings } = options;
  return {
    clock,
    random,
    logger,
    tracer,
    activity,
    ...(metrics && { metrics }),
    ...(clearNotReadyTaint !== undefined && { clearNotReadyTaint }),
    ...(settings && { settings }),
  };
}

function withShape(description: NodeDescription, { capacity, labels, ...shape }: NodeShape): NodeDescription {
  const all = capacity && { ...description.capacity, ...capacity };
  return {
    ...description,
    ...shape,
    ...(labels && { labels: { ...description.labels, ...labels } }),
    ...(all && { capacity: all, ...(description.allocatable && { allocatable: all }) }),
  };
}

/** Whether the settings reserve resources; otherwise all of a simulated node is allocatable. */
function keepsBack({ systemReserved, kubeReserved, evictionHard }: Partial<KubeletSettings> = {}): boolean {
  return (systemReserved ?? kubeReserved ?? evictionHard) !== undefined;
}

/** For kubelets whose pods are driven by stages. */
const noPods: PodSource = { follow: () => ({ [Symbol.dispose]: () => undefined }), synced: async () => undefined };

const uidIndex = 'metadata.uid';
