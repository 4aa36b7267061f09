import { type Node, type NodeStatus, refs, schemaOf } from '@coracle/api';
import { createTwoWayMergePatch, findCondition, isAlreadyExists, isNotFound } from '@coracle/apimachinery';
import { type Activity, type Clock, deepEqual, every, type Logger, type Millis, monotonicNow } from '@coracle/base';
import type { Client, EventRecorder } from '@coracle/client';
import type { ImageService, RuntimeFeatures } from '@coracle/cri';
import { nodeReference } from './container-reference.js';
import { withDevices } from './devices/device-capacity.js';
import type { DeviceManager } from './devices/device-manager.js';
import { conditionEvents, nodeConditions, type PressureCondition, pressureChanges } from './node-conditions.js';
import { type NodeDescription, newNode } from './node-description.js';
import type { RuntimeHealth } from './runtime-health.js';
import type { KubeletSettings } from './settings.js';
import { waitAtMost } from './wait-at-most.js';

type NodeImages = NonNullable<NodeStatus['images']>;

export interface NodeReporterOptions {
  readonly nodeName: string;
  readonly description: NodeDescription;
  readonly client: Client;
  readonly images: Pick<ImageService, 'listImages'>;
  /** The current pressure conditions. */
  readonly pressures: () => ReadonlySet<PressureCondition>;
  /** Attachable volumes, such as network disks, that pods of the node have mounted. */
  readonly volumesInUse: () => readonly string[];
  /** Capacity that device plugins add, by resource. */
  readonly devices?: Pick<DeviceManager, 'counts'>;
  readonly settings: Pick<KubeletSettings, 'nodeStatusUpdateFrequency' | 'nodeStatusReportFrequency' | 'registerNode'>;
  /** The node from a watch; read from the API if absent. */
  readonly watchedNode?: () => Node | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly activity: Activity;
  readonly recorder: EventRecorder;
  /** Whether the kubelet removes the not-ready taint of its node itself, if no controller does. */
  readonly clearNotReadyTaint?: boolean;
  /** False if another component writes the status: the kubelet then only registers the node, without conditions. */
  readonly reportsNodeStatus?: boolean;
}

/** Backoff of failed registrations. */
const firstRetryMs: Millis = 200;
const maxRetryMs: Millis = 7_000;
/** Interval and duration of the readiness checks after the start. */
const readinessPollMs: Millis = 100;
const readinessPatienceMs: Millis = 120_000;
/** Number of attempts of a report before it waits for the next check. */
const reportAttempts = 5;
const notReadyTaint = 'node.kubernetes.io/not-ready';
const maxImages = 50;
/** How long a report waits for the runtime. */
const runtimePatienceMs: Millis = 5_000;
/** What this kubelet can do that pods may need and older kubelets cannot: schedulers look for it. */
const declaredFeatures: readonly string[] = Object.freeze(['RestartAllContainersOnContainerExits']);

/** Registers the node, and updates its status: after changes, otherwise every five minutes. */
export class NodeReporter implements Disposable {
  readonly #options: NodeReporterOptions;
  readonly #health: Pick<RuntimeHealth, 'refresh' | 'problems' | 'features'>;
  #node: Node | undefined;
  /** On the clock that is never set. */
  #reportedAt: Millis = Number.NEGATIVE_INFINITY;
  #checking: Disposable | undefined;
  #retrying: Disposable | undefined;
  #busy = false;
  /** False once a server has dropped the features: the feature is disabled there. */
  #declares = true;
  #stopped = false;

  constructor(options: NodeReporterOptions, health: Pick<RuntimeHealth, 'refresh' | 'problems' | 'features'>) {
    this.#options = options;
    this.#health = health;
  }

  /** The node in its last known state. */
  get node(): Node | undefined {
    return this.#node;
  }

  /**
   * The node, read from the API: other clients may have changed its labels, taints or capacity since the last report.
   */
  async readNode(): Promise<Node> {
    const { client, nodeName } = this.#options;
    const node = await client.resource(refs.nodes).get(nodeName);
    if (this.#node) this.#tellSchedulability(this.#node, node);
    this.#node = node;
    return node;
  }

  /** Registers the node and reports for the first time. */
  async start(): Promise<void> {
    this.#checking = every(
      this.#options.clock,
      this.#options.settings.nodeStatusUpdateFrequency,
      () => void this.check(),
    );
    await this.check();
    this.#untilRegistered(firstRetryMs, monotonicNow(this.#options.clock) + readinessPatienceMs);
  }

  [Symbol.dispose](): void {
    this.#stopped = true;
    this.#checking?.[Symbol.dispose]();
    this.#retrying?.[Symbol.dispose]();
  }

  /** If the server is not up yet, registration is retried sooner than the next report. */
  #untilRegistered(delayMs: Millis, readyBy: Millis): void {
    if (this.#stopped) return;
    if (this.#node) {
      if (this.#options.reportsNodeStatus !== false) this.#untilReady(readyBy);
      return;
    }
    this.#retrying = this.#options.clock.schedule(delayMs, () => {
      void this.check().then(() => this.#untilRegistered(Math.min(maxRetryMs, delayMs * 2), readyBy));
    });
  }

  /**
   * The network of a runtime takes a moment to start: the node is reported as ready once it is, not with the next
   * report.
   */
  #untilReady(readyBy: Millis): void {
    const { clock } = this.#options;
    if (this.#stopped || isReady(this.#node) || monotonicNow(clock) >= readyBy) return;
    this.#retrying = clock.schedule(readinessPollMs, () => {
      void this.#checkIfReady().then(() => this.#untilReady(readyBy));
    });
  }

  async #checkIfReady(): Promise<void> {
    await this.#health.refresh();
    if (this.#health.problems.length === 0) await this.check();
  }

  async check(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    using _busy = this.#options.activity.begin();
    try {
      await this.#tryReport();
    } catch (error) {
      const { logger, nodeName } = this.#options;
      // The node was deleted by another client: the next check registers it again.
      if (isNotFound(error)) this.#node = undefined;
      logger.error('The status of the node could not be reported', { node: nodeName, error });
    } finally {
      this.#busy = false;
    }
  }

  /** A failed report is retried without delay. A registration has its own backoff. */
  async #tryReport(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#report(await this.#read(attempt));
      } catch (error) {
        if (!this.#node || isNotFound(error) || attempt >= reportAttempts) throw error;
      }
    }
  }

  /**
   * The node as in the API: other clients write to it too, and what they write is compared with the actual state. The
   * server's cache is sufficient at first, but not after a report based on it was rejected.
   */
  async #read(attempt: number): Promise<Node> {
    const { client, nodeName } = this.#options;
    const currentNode = this.#node;
    if (!currentNode) return this.#options.settings.registerNode ? this.#register() : this.#find();
    const watched = attempt === 1 ? this.#options.watchedNode?.() : undefined;
    const node =
      (watched && newer(watched, currentNode)) ??
      (await client.resource(refs.nodes).get(nodeName, attempt === 1 ? { resourceVersion: '0' } : {}));
    this.#tellSchedulability(currentNode, node);
    return node;
  }

  /** If other components register the node, it is not found until they have. */
  #find(): Promise<Node> {
    return this.#options.client.resource(refs.nodes).get(this.#options.nodeName);
  }

  async #register(): Promise<Node> {
    const { client, nodeName, description, clock } = this.#options;
    const nodes = client.resource(refs.nodes);
    const { conditions = [], ...rest } = await this.#statusOf(undefined);
    const reportsConditions = this.#options.reportsNodeStatus !== false;
    const status = reportsConditions ? { ...rest, conditions } : rest;
    if (reportsConditions) for (const reason of pressureChanges([], conditions)) this.#tell(reason);
    try {
      const node = await nodes.create({ ...newNode(nodeName, description), status });
      // It was registered with its status, which counts as a report.
      this.#reportedAt = monotonicNow(clock);
      this.#declares = node.status?.declaredFeatures !== undefined;
      return node;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return this.#reconcile(await nodes.get(nodeName));
    }
  }

  /** An existing node keeps the fields of other clients, and gets the labels that the kubelet sets. */
  async #reconcile(node: Node): Promise<Node> {
    const { client, nodeName, description } = this.#options;
    const { labels } = newNode(nodeName, description).metadata;
    const nodeLabels = { ...node.metadata.labels, ...labels };
    if (deepEqual(nodeLabels, node.metadata.labels)) return node;
    return client.resource(refs.nodes).patch(nodeName, { metadata: { labels } }, { type: 'strategic' });
  }

  async #report(node: Node): Promise<void> {
    this.#node = node;
    if (this.#options.reportsNodeStatus !== false) await this.#reportStatus(node);
    if (this.#options.clearNotReadyTaint) await this.#clearTaint();
  }

  async #reportStatus(node: Node): Promise<void> {
    const { client, nodeName, clock } = this.#options;
    const status = await this.#statusOf(node);
    const due = monotonicNow(clock) - this.#reportedAt >= this.#options.settings.nodeStatusReportFrequency;
    if (due || !deepEqual(withoutHeartbeats(status), withoutHeartbeats(node.status ?? {}))) {
      const changes = createTwoWayMergePatch({ status: node.status ?? {} }, { status }, schemaOf('core-v1/Node'));
      this.#node = await client
        .resource(refs.nodes)
        .patch(nodeName, changes, { type: 'strategic', subresource: 'status' });
      this.#reportedAt = monotonicNow(clock);
      this.#declares = this.#node.status?.declaredFeatures !== undefined;
      this.#tellConditions(node, this.#node);
      this.#tellReboot(node, this.#node);
    }
  }

  async #clearTaint(): Promise<void> {
    const taints = this.#node?.spec?.taints ?? [];
    if (!taints.some(({ key }) => key === notReadyTaint)) return;
    const { client, nodeName } = this.#options;
    const removal = { spec: { taints: taints.filter(({ key }) => key !== notReadyTaint) } };
    this.#node = await client.resource(refs.nodes).patch(nodeName, removal, { type: 'merge' });
  }

  #tellConditions(before: Node, after: Node): void {
    const [old, now] = [before.status?.conditions ?? [], after.status?.conditions ?? []];
    for (const reason of conditionEvents(old, now)) this.#tell(reason);
  }

  #tellSchedulability(before: Node, after: Node): void {
    const closed = (node: Node) => node.spec?.unschedulable ?? false;
    if (closed(before) !== closed(after)) this.#tell(closed(after) ? 'NodeNotSchedulable' : 'NodeSchedulable');
  }

  #tellReboot(before: Node, after: Node): void {
    const { recorder, nodeName } = this.#options;
    const bootId = after.status?.nodeInfo?.bootID;
    const lastBootId = before.status?.nodeInfo?.bootID;
    if (!lastBootId || lastBootId === bootId) return;
    const message = `Node ${nodeName} has been rebooted, boot id: ${bootId}`;
    recorder.event(nodeReference(nodeName), 'Warning', 'Rebooted', message);
  }

  #tell(reason: string): void {
    const { recorder, nodeName } = this.#options;
    recorder.event(nodeReference(nodeName), 'Normal', reason, `Node ${nodeName} status is now: ${reason}`);
  }

  async #statusOf(node: Node | undefined): Promise<NodeStatus> {
    const { description, clock, pressures, volumesInUse } = this.#options;
    const health = this.#health;
    const { addresses, capacity, allocatable, info, port = 0 } = description;
    const images = await this.#askRuntime(node?.status?.images ?? []);
    const state = { problems: health.problems, pressures: pressures() };
    const conditions = nodeConditions(state, node?.status?.conditions ?? [], clock.now());
    const features = nodeFeatures(health.features);
    const { volumesInUse: _, features: __, ...before } = node?.status ?? {};
    const inUse = volumesInUse();
    const devices = this.#options.devices?.counts() ?? new Map();
    const counts = (of: 'capacity' | 'allocatable') =>
      new Map([...devices].map(([name, count]) => [name, count[of]] as const));
    return {
      ...before,
      addresses: addresses.map((address) => ({ ...address })),
      capacity: withDevices(capacity, before.capacity, counts('capacity')),
      allocatable: withDevices(allocatable ?? capacity, before.capacity, counts('allocatable')),
      conditions,
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
      nodeInfo: info,
      ...(features && { features }),
      ...(images.length > 0 && { images }),
      ...(inUse.length > 0 && { volumesInUse: [...inUse] }),
      ...(this.#declares && { declaredFeatures: [...declaredFeatures] }),
    };
  }

  /**
   * Asks how the runtime is and returns its images, or those known before: a node whose runtime fails or hangs is reported
   * nevertheless, as not ready.
   */
  async #askRuntime(knownImages: NodeImages): Promise<NodeImages> {
    const { clock, logger } = this.#options;
    let images = knownImages;
    const listed = this.#listImages().then(
      (found) => {
        images = found;
      },
      (error) => logger.error('Failed to list the images of the container runtime', { error }),
    );
    await waitAtMost(clock, runtimePatienceMs, Promise.all([this.#health.refresh(), listed]));
    return images;
  }

  /** The largest images. Runtimes list them in no order: where sizes are equal the ID decides, so that none of it changes by itself. */
  async #listImages(): Promise<NodeImages> {
    const { images = [] } = await this.#options.images.listImages({});
    const sorted = [...images].sort((a, b) => (b.size ?? 0) - (a.size ?? 0) || ((a.id ?? '') < (b.id ?? '') ? 1 : -1));
    return sorted.slice(0, maxImages).map(({ repoDigests = [], repoTags = [], size = 0 }) => ({
      names: [...repoDigests, ...repoTags].slice(0, 5),
      sizeBytes: size,
    }));
  }
}

/** Absent if the runtime does not report its features. */
function nodeFeatures(features: RuntimeFeatures | undefined): NodeStatus['features'] {
  return features && { supplementalGroupsPolicy: features.supplementalGroupsPolicy ?? false };
}

function isReady(node: Node | undefined): boolean {
  return findCondition(node?.status?.conditions, 'Ready')?.status === 'True';
}

/** The watch may not have delivered the last write yet. */
function newer(watched: Node, current: Node): Node {
  const [seen, written] = [watched, current].map(({ metadata }) => Number(metadata.resourceVersion ?? 0));
  return watched.metadata.uid === current.metadata.uid && (seen ?? 0) < (written ?? 0) ? current : watched;
}

function withoutHeartbeats(status: NodeStatus): NodeStatus {
  return {
    ...status,
    conditions: (status.conditions ?? []).map(({ lastHeartbeatTime: _, ...condition }) => condition),
  };
}
