import type { Node, Pod } from '@coracle/api';
import { type Clock, deepEqual, type Millis, monotonicNow } from '@coracle/base';
import { ClusterTallies } from './cluster-tallies.js';
import { NodeInfo } from './node-info.js';
import { type PodInfo, podInfoOf } from './pod-info.js';

/**
 * State of a pod in the cache. `assumed`: the scheduler has chosen the node, and the watch has not confirmed the
 * binding yet.
 */
interface PlacedPod {
  readonly info: PodInfo;
  readonly node: string;
  readonly assumed: boolean;
  /** Set when binding has finished: an assumed pod that is not confirmed by then is removed. */
  deadline?: Millis;
}

export interface CacheSizes {
  readonly nodes: number;
  readonly pods: number;
  readonly assumedPods: number;
}

/**
 * The nodes with their pods: the state of the API with the assumed pods.
 *
 *     assume ──► assumed ──(observed)───► added ──► removed
 *        ▲          │ forget, or not confirmed in time
 *        └──────────┘
 *
 * A pod may be on a node that is not in the cache yet; it counts when the node is added.
 */
export class SchedulerCache {
  readonly #nodes = new Map<string, NodeInfo>();
  /** By uid. */
  readonly #pods = new Map<string, PlacedPod>();
  /** Pods whose node is not in the cache (yet), by node. */
  readonly #waiting = new Map<string, Map<string, PodInfo>>();
  readonly #clock: Clock;
  readonly #assumedTtlMs: Millis;
  /** Assumed pods by uid; they are few. */
  readonly #assumed = new Map<string, PlacedPod>();
  /** Pods that are removed for a simulation, by uid. */
  readonly #lifted = new Map<string, PlacedPod>();
  #order: NodeInfo[] | undefined;
  /** Of all nodes; updated with every change. */
  readonly tallies = new ClusterTallies();

  /** `assumedTtlMs`: time for which an assumed pod may stay unconfirmed after binding; 0 for unlimited. */
  constructor(options: { readonly clock: Clock; readonly assumedTtlMs: Millis }) {
    this.#clock = options.clock;
    this.#assumedTtlMs = options.assumedTtlMs;
  }

  get podCount(): number {
    return this.#pods.size;
  }

  get sizes(): CacheSizes {
    return { nodes: this.#nodes.size, pods: this.#pods.size, assumedPods: this.#assumed.size };
  }

  /** All nodes, alternating between zones, so that a search that stops early has visited every zone. */
  nodes(): readonly NodeInfo[] {
    this.#order ??= interleaveZones([...this.#nodes.values()]);
    return this.#order;
  }

  node(name: string): NodeInfo | undefined {
    return this.#nodes.get(name);
  }

  setNode(node: Node): void {
    const name = node.metadata.name ?? '';
    const nodeInfo = this.#nodes.get(name);
    if (nodeInfo) {
      // A new list after each change: code that caches results computed from it compares by identity.
      if (zoneOf(nodeInfo) !== zoneOfNode(node) || !deepEqual(nodeInfo.node.status?.images, node.status?.images))
        this.#order = undefined;
      this.#change(nodeInfo, node);
      return;
    }
    const info = new NodeInfo(node);
    this.#nodes.set(name, info);
    this.#order = undefined;
    for (const pod of this.#waiting.get(name)?.values() ?? []) info.addPod(pod);
    this.#waiting.delete(name);
    this.tallies.addNode(info);
  }

  /** Counting depends on the labels and the spec of a node; heartbeats change neither. */
  #change(info: NodeInfo, node: Node): void {
    const { metadata, spec } = info.node;
    if (deepEqual(metadata.labels, node.metadata.labels) && deepEqual(spec, node.spec)) {
      info.setNode(node);
      return;
    }
    this.tallies.removeNode(info);
    info.setNode(node);
    this.tallies.addNode(info);
  }

  removeNode(name: string): void {
    const info = this.#nodes.get(name);
    if (!info) return;
    this.#nodes.delete(name);
    this.tallies.removeNode(info);
    this.#order = undefined;
    if (info.pods.size > 0) this.#waiting.set(name, new Map(info.pods));
  }

  isAssumed(uid: string): boolean {
    return this.#pods.get(uid)?.assumed ?? false;
  }

  /** The node where the pod is, or is assumed to be. */
  nodeOf(uid: string): string | undefined {
    return this.#pods.get(uid)?.node;
  }

  /** Removes a pod for a simulation. The result restores it, unless the watch has updated or deleted it meanwhile. */
  lift(uid: string): () => void {
    const placed = this.#pods.get(uid);
    if (!placed) return () => {};
    this.#remove(uid);
    this.#lifted.set(uid, placed);
    return () => {
      if (!this.#lifted.delete(uid)) return;
      this.#place(placed.info, placed.node, placed.assumed);
      const back = this.#pods.get(uid);
      if (back && placed.deadline !== undefined) back.deadline = placed.deadline;
    };
  }

  assume(info: PodInfo, node: string): void {
    this.#place(info, node, true);
  }

  /** Binding has finished: the watch must confirm it before the deadline. */
  finishBinding(uid: string): void {
    const placed = this.#pods.get(uid);
    if (placed?.assumed && this.#assumedTtlMs > 0) placed.deadline = monotonicNow(this.#clock) + this.#assumedTtlMs;
  }

  forget(uid: string): void {
    if (this.#lifted.get(uid)?.assumed) this.#lifted.delete(uid);
    if (this.#pods.get(uid)?.assumed) this.#remove(uid);
  }

  /** Adds a bound pod from the API. */
  setPod(pod: Pod): void {
    this.#lifted.delete(pod.metadata.uid ?? '');
    this.#place(podInfoOf(pod), pod.spec?.nodeName ?? '', false);
  }

  removePod(uid: string): void {
    this.#lifted.delete(uid);
    this.#remove(uid);
  }

  /** Removes assumed pods that have expired. */
  expireAssumed(): PodInfo[] {
    const now = monotonicNow(this.#clock);
    const expired = [...this.#assumed.values()].filter(({ deadline }) => deadline !== undefined && deadline <= now);
    for (const { info } of expired) this.#remove(info.uid);
    return expired.map(({ info }) => info);
  }

  #place(info: PodInfo, node: string, assumed: boolean): void {
    const previous = this.#pods.get(info.uid);
    const nodeInfo = this.#nodes.get(node);
    const counted = previous?.node === node && nodeInfo !== undefined && countsAlike(previous.info, info);
    if (previous && !counted) this.#remove(info.uid);
    const placed: PlacedPod = { info, node, assumed };
    this.#pods.set(info.uid, placed);
    if (assumed) this.#assumed.set(info.uid, placed);
    else this.#assumed.delete(info.uid);
    if (nodeInfo && counted) {
      nodeInfo.replacePod(info);
      return;
    }
    if (nodeInfo) {
      nodeInfo.addPod(info);
      this.tallies.addPod(nodeInfo, info);
      return;
    }
    const waiting = this.#waiting.get(node) ?? new Map<string, PodInfo>();
    waiting.set(info.uid, info);
    this.#waiting.set(node, waiting);
  }

  #remove(uid: string): void {
    const placed = this.#pods.get(uid);
    if (!placed) return;
    this.#pods.delete(uid);
    this.#assumed.delete(uid);
    const node = this.#nodes.get(placed.node);
    if (node?.pods.has(uid)) {
      node.removePod(uid);
      this.tallies.removePod(node, placed.info);
    }
    const waiting = this.#waiting.get(placed.node);
    waiting?.delete(uid);
    if (waiting?.size === 0) this.#waiting.delete(placed.node);
  }
}

/** Whether two versions of a pod count the same, as they do when one has only been bound. */
function countsAlike(before: PodInfo, after: PodInfo): boolean {
  return (
    before.requests === after.requests &&
    before.isTerminating === after.isTerminating &&
    before.pod.spec?.volumes === after.pod.spec?.volumes &&
    deepEqual(before.labels, after.labels)
  );
}

function zoneOf(info: NodeInfo): string {
  return zoneOfNode(info.node);
}

function zoneOfNode({ metadata }: Node): string {
  const labels = metadata.labels ?? {};
  return `${labels['topology.kubernetes.io/region'] ?? ''}/${labels['topology.kubernetes.io/zone'] ?? ''}`;
}

function interleaveZones(nodes: readonly NodeInfo[]): NodeInfo[] {
  const zones = new Map<string, NodeInfo[]>();
  for (const node of nodes) {
    const zone = zones.get(zoneOf(node));
    if (zone) zone.push(node);
    else zones.set(zoneOf(node), [node]);
  }
  if (zones.size === 1) return [...nodes];
  const order: NodeInfo[] = [];
  for (let i = 0; order.length < nodes.length; i++)
    for (const zone of zones.values()) if (zone[i]) order.push(zone[i] as NodeInfo);
  return order;
}
