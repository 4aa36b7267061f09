import type { PodInfo } from '../cache/pod-info.js';

const none: readonly PodInfo[] = Object.freeze([]);

/** Pods that preemption has nominated for a node, until they are bound or deleted. */
export class NominatedPods {
  readonly #byNode = new Map<string, Map<string, PodInfo>>();
  readonly #nodeOf = new Map<string, string>();

  on(node: string): readonly PodInfo[] {
    const pods = this.#byNode.get(node);
    return pods ? [...pods.values()] : none;
  }

  /** The names of the nodes with nominated pods. */
  get nodes(): Iterable<string> {
    return this.#byNode.keys();
  }

  nodeOf(uid: string): string | undefined {
    return this.#nodeOf.get(uid);
  }

  add(pod: PodInfo, node: string): void {
    this.remove(pod.uid);
    if (node === '') return;
    this.#nodeOf.set(pod.uid, node);
    const pods = this.#byNode.get(node) ?? new Map<string, PodInfo>();
    pods.set(pod.uid, pod);
    this.#byNode.set(node, pods);
  }

  /** Updates a nominated pod that has changed. */
  refresh(pod: PodInfo): void {
    const node = this.#nodeOf.get(pod.uid);
    if (node !== undefined) this.#byNode.get(node)?.set(pod.uid, pod);
  }

  remove(uid: string): void {
    const node = this.#nodeOf.get(uid);
    if (node === undefined) return;
    this.#nodeOf.delete(uid);
    const pods = this.#byNode.get(node);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byNode.delete(node);
  }
}
