import type { Node, Taint } from '@coracle/api';
import type { HostPort, PodInfo } from './pod-info.js';
import { addResource, emptyResource, type Resource, resourceFromList } from './resource.js';

const mostTallies = 50;
const noTaints: readonly Taint[] = [];

/**
 * A node with the pods on it, added up.
 *
 * The scheduling cycle reads it while nothing else runs, so it needs no snapshot: see docs/decisions/0006.
 * Preemption tries things out on a `clone`.
 */
export class NodeInfo {
  readonly name: string;
  node: Node;
  /** Without inherited names: any key of a label may be looked up, `constructor` too. */
  labels: Readonly<Record<string, string>> = {};
  allocatable: Resource = emptyResource();
  allowedPods = 0;
  /** Fields of the spec, precomputed: they are read for every node of every attempt. */
  isCordoned = false;
  taints: readonly Taint[] = noTaints;
  readonly requested: Resource = emptyResource();
  /** Requests with defaults for containers without requests, for scoring. */
  readonly presumed: { milliCpu: number; memory: number } = { milliCpu: 0, memory: 0 };
  /** What was worked out of the node and its pods. Forgotten when either changes; a copy has none. */
  memo: object | undefined = undefined;
  /** What was found out about its devices. Forgotten when the node changes; a copy has none. */
  devices: object | undefined = undefined;
  /** How many volumes of any kind its pods have. */
  volumeCount = 0;
  /** By uid. Terminating pods count until they are removed. */
  readonly pods = new Map<string, PodInfo>();
  /** Numbers of pods by category, by the name of the category. Cleared when the pods change. */
  readonly #tallies = new Map<string, number>();
  /** `protocol:port` → addresses in use, each as often as it is used. */
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

  /** Another version of a pod that is there, which requests the same and has the same labels. */
  replacePod(pod: PodInfo): void {
    this.pods.set(pod.uid, pod);
  }

  removePod(uid: string): void {
    const pod = this.pods.get(uid);
    if (!pod) return;
    this.pods.delete(uid);
    this.#count(pod, -1);
  }

  /** How many of the pods are of a kind. The name stands for the kind: it is read in every scheduling cycle. */
  tally(kind: string, isOfKind: (pod: PodInfo) => boolean): number {
    const tally = this.#tallies.get(kind);
    if (tally !== undefined) return tally;
    let count = 0;
    for (const pod of this.pods.values()) if (isOfKind(pod)) count++;
    if (this.#tallies.size >= mostTallies) this.#tallies.clear();
    this.#tallies.set(kind, count);
    return count;
  }

  /** Whether any of the ports is taken. An address of all zeros stands for every address. */
  portsConflict(ports: readonly HostPort[]): boolean {
    return ports.some(({ ip, protocol, port }) => {
      const taken = this.#ports.get(`${protocol}:${port}`);
      return taken !== undefined && (ip === '0.0.0.0' || taken.has(ip) || taken.has('0.0.0.0'));
    });
  }

  clone(): NodeInfo {
    return new NodeInfo(this.node, this);
  }

  /** The sums are copied and not added up again: preemption clones hundreds of nodes for a pod. */
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
