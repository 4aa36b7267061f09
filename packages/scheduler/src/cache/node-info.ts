import type { Node, Taint } from '@coracle/api';
import type { HostPort, PodInfo } from './pod-info.js';
import { addResource, emptyResource, type Resource, resourceFromList } from './resource.js';

const mostTallies = 50;
const noTaints: readonly Taint[] = [];

/**
 * A node with the sums of its pods. The scheduling cycle is synchronous and reads it directly, so it needs no snapshot:
 * see docs/decisions/0006. Preemption simulates on a `clone`.
 */
export class NodeInfo {
  readonly name: string;
  node: Node;
  /** A null-prototype object: any label key may be looked up, also `constructor`. */
  labels: Readonly<Record<string, string>> = {};
  allocatable: Resource = emptyResource();
  allowedPods = 0;
  /** Precomputed fields of the spec, which are read for every node of every attempt. */
  isCordoned = false;
  taints: readonly Taint[] = noTaints;
  readonly requested: Resource = emptyResource();
  /** Requests with defaults for containers without requests, for scoring. */
  readonly presumed: { milliCpu: number; memory: number } = { milliCpu: 0, memory: 0 };
  /** Cached results about the node and its pods. Cleared when either changes; empty in a copy. */
  memo: object | undefined = undefined;
  /** Cached results about its devices. Cleared when the node changes; empty in a copy. */
  devices: object | undefined = undefined;
  /** Number of volumes of its pods, of any kind. */
  volumeCount = 0;
  /** By uid. Terminating pods count until they are removed. */
  readonly pods = new Map<string, PodInfo>();
  /** Number of pods by category. Cleared when the pods change. */
  readonly #tallies = new Map<string, number>();
  /** `protocol:port` → addresses in use, with the number of uses. */
  readonly #ports = new Map<string, Map<string, number>>();

  constructor(node: Node, original?: NodeInfo) {
    this.name = node.metadata.name ?? '';
    this.node = node;
    if (original) this.#copyFrom(original);
    else this.setNode(node);
  }

  setNode(node: Node): void {
    this.node = node;
    this.memo = undefined;
    this.devices = undefined;
    this.labels = Object.assign(Object.create(null), node.metadata.labels);
    this.allocatable = resourceFromList(node.status?.allocatable);
    this.isCordoned = node.spec?.unschedulable === true;
    this.taints = node.spec?.taints ?? noTaints;
    this.allowedPods = Number(node.status?.allocatable?.['pods'] ?? 0);
  }

  addPod(pod: PodInfo): void {
    if (this.pods.has(pod.uid)) this.removePod(pod.uid);
    this.pods.set(pod.uid, pod);
    this.#count(pod, 1);
  }

  /** Replaces a pod by another version with the same requests and labels. */
  replacePod(pod: PodInfo): void {
    this.pods.set(pod.uid, pod);
  }

  removePod(uid: string): void {
    const pod = this.pods.get(uid);
    if (!pod) return;
    this.pods.delete(uid);
    this.#count(pod, -1);
  }

  /**
   * Number of pods in a category. The name identifies the category, because it is looked up in every scheduling cycle.
   */
  tally(kind: string, isOfKind: (pod: PodInfo) => boolean): number {
    const tally = this.#tallies.get(kind);
    if (tally !== undefined) return tally;
    let count = 0;
    for (const pod of this.pods.values()) if (isOfKind(pod)) count++;
    if (this.#tallies.size >= mostTallies) this.#tallies.clear();
    this.#tallies.set(kind, count);
    return count;
  }

  /** Whether any of the ports is in use. The address 0.0.0.0 matches every address. */
  portsConflict(ports: readonly HostPort[]): boolean {
    return ports.some(({ ip, protocol, port }) => {
      const taken = this.#ports.get(`${protocol}:${port}`);
      return taken !== undefined && (ip === '0.0.0.0' || taken.has(ip) || taken.has('0.0.0.0'));
    });
  }

  clone(): NodeInfo {
    return new NodeInfo(this.node, this);
  }

  /** Copies the sums instead of computing them again: preemption clones hundreds of nodes for a pod. */
  #copyFrom(original: NodeInfo): void {
    this.labels = original.labels;
    this.allocatable = original.allocatable;
    this.allowedPods = original.allowedPods;
    this.isCordoned = original.isCordoned;
    this.taints = original.taints;
    this.volumeCount = original.volumeCount;
    addResource(this.requested, original.requested, 1);
    this.presumed.milliCpu = original.presumed.milliCpu;
    this.presumed.memory = original.presumed.memory;
    for (const [uid, pod] of original.pods) this.pods.set(uid, pod);
    for (const [key, addresses] of original.#ports) this.#ports.set(key, new Map(addresses));
  }

  #count(pod: PodInfo, sign: 1 | -1): void {
    this.#tallies.clear();
    this.memo = undefined;
    addResource(this.requested, pod.requests, sign);
    this.volumeCount += sign * (pod.pod.spec?.volumes?.length ?? 0);
    this.presumed.milliCpu += sign * pod.presumed.milliCpu;
    this.presumed.memory += sign * pod.presumed.memory;
    for (const { ip, protocol, port } of pod.hostPorts) this.#countPort(`${protocol}:${port}`, ip, sign);
  }

  #countPort(key: string, ip: string, sign: 1 | -1): void {
    const addresses = this.#ports.get(key) ?? new Map<string, number>();
    const count = (addresses.get(ip) ?? 0) + sign;
    if (count > 0) addresses.set(ip, count);
    else addresses.delete(ip);
    if (addresses.size > 0) this.#ports.set(key, addresses);
    else this.#ports.delete(key);
  }
}
