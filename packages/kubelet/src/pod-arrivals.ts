import type { Node, Pod } from '@coracle/api';
import type { Metrics } from '@coracle/base';
import type { Container, PodSandbox } from '@coracle/cri';
import { type PodRejection, refusalOf, refusalsOf } from './admit-pod.js';
import { podReference } from './container-reference.js';
import type { Needs } from './kubelet-parts.js';
import { type PodFailure, rejectionOf } from './pod-failure.js';
import type { PodSink } from './pod-source.js';
import type { PodWorkers } from './pod-workers.js';
import { type Preemption, preemptPods, recoveryOf } from './preemption/preempt-pods.js';
import { podUidLabel, restorePod } from './runtime-labels.js';
import { isMirrorPod } from './static-pods/pod-origin.js';
import { sysctlRefusal } from './sysctls.js';

export interface PodArrivalsOptions {
  readonly parts: Needs<'statuses' | 'tracer' | 'recorder' | 'mirrors' | 'settings' | 'activity' | 'clock'>;
  readonly workers: PodWorkers;
  readonly node: () => Node | undefined;
  /** The node, read from the API. */
  readonly readNode: () => Promise<Node | undefined>;
  /** Why the node takes no such pod now, whatever resources are free. */
  readonly refusalUnderPressure: (pod: Pod) => PodRejection | undefined;
  /** Fails a pod; resolves when none of its containers runs any more. */
  readonly evict: (pod: Pod, failure: PodFailure) => Promise<void>;
  readonly metrics?: Metrics | undefined;
}

/** The pods in the runtime from before this kubelet started. */
interface LeftOver {
  readonly sandboxes: PodSandbox[];
  readonly containers: Container[];
}

/** Receives the pods of the node, from the API and static sources, and those that ran before the kubelet started. */
export class PodArrivals implements Disposable {
  readonly #options: PodArrivalsOptions;
  /** By uid. */
  readonly #leftOver = new Map<string, LeftOver>();
  /** By uid: pods that did not fit the node in its last known state, until it is read again. */
  readonly #undecided = new Map<string, Pod>();
  /** Static pods, by namespace and name. */
  readonly #statics = new Map<string, Pod>();
  /** Terminating static pods; a new one of the same name waits for their end. */
  readonly #ending = new Map<string, Promise<void>>();
  /** Set while pods terminate for a critical one: their resources are not given to others meanwhile. */
  #preemption: Promise<void> | undefined;
  /** Created when pods are waited for: there are many kubelets, and they rarely preempt. */
  #aborter: AbortController | undefined;
  #complete = false;

  constructor(options: PodArrivalsOptions) {
    this.#options = options;
  }

  /** All sources have delivered their pods: any other pod in the runtime is an orphan. */
  get complete(): boolean {
    return this.#complete;
  }

  /** The pods of the node in the API. */
  readonly fromApi: PodSink = {
    set: (pod) => (isMirrorPod(pod) ? this.#setMirror(pod) : this.#set(pod)),
    remove: (pod) => (isMirrorPod(pod) ? this.#removeMirror(pod) : this.#remove(pod)),
  };

  /** The node's static pods. */
  readonly fromNode: PodSink = {
    set: (pod) => this.#setStatic(pod),
    remove: (pod) => this.#removeStatic(pod),
  };

  /** What the runtime still has from before the kubelet started. */
  takeLeftOver({
    sandboxes,
    containers,
  }: {
    readonly sandboxes: readonly PodSandbox[];
    readonly containers: readonly Container[];
  }): void {
    for (const sandbox of sandboxes) this.#leftOverOf(sandbox).sandboxes.push(sandbox);
    for (const container of containers) this.#leftOverOf(container).containers.push(container);
  }

  /** Stops and removes orphans, and deletes them from the API. */
  async finish(): Promise<void> {
    this.#complete = true;
    for (const { sandboxes, containers } of this.#leftOver.values()) this.#end(sandboxes, containers);
    this.#leftOver.clear();
    await this.#removeOrphanedMirrors();
  }

  /** Stops waiting. */
  [Symbol.dispose](): void {
    this.#aborter?.abort('the kubelet ends');
  }

  #leftOverOf({ labels }: PodSandbox | Container): LeftOver {
    const uid = labels?.[podUidLabel] ?? '';
    const entry = this.#leftOver.get(uid) ?? { sandboxes: [], containers: [] };
    this.#leftOver.set(uid, entry);
    return entry;
  }

  /** The settings at the creation of its containers are used: grace period, hooks. */
  #end(sandboxes: readonly PodSandbox[], containers: readonly Container[]): void {
    const { workers } = this.#options;
    const pod = restorePod(sandboxes, containers);
    workers.add(pod, sandboxes.map(idOf));
    workers.remove(uidOf(pod));
  }

  #remove(pod: Pod): void {
    this.#undecided.delete(uidOf(pod));
    this.#options.workers.remove(uidOf(pod));
  }

  #set(pod: Pod): void {
    const { parts, workers } = this.#options;
    if (this.#undecided.has(uidOf(pod))) this.#undecided.set(uidOf(pod), pod);
    else if (workers.has(uidOf(pod))) {
      if (parts.statuses.observe(pod) || workers.differs(pod)) workers.update(pod);
    } else this.#admit(pod);
  }

  #admit(pod: Pod): void {
    const { parts, workers } = this.#options;
    parts.tracer.step('kubelet.podAdded', `pods/${pod.metadata.namespace}/${pod.metadata.name}`);
    const found = this.#leftOver.get(uidOf(pod));
    this.#leftOver.delete(uidOf(pod));
    if (found !== undefined || pod.metadata.deletionTimestamp !== undefined) {
      workers.add(pod, found?.sandboxes.map(idOf));
      return;
    }
    const { node, refusalUnderPressure } = this.#options;
    const refusal = refusalUnderPressure(pod) ?? sysctlRefusal(pod, parts.settings.allowedUnsafeSysctls);
    if (refusal) this.#reject(pod, refusal);
    else if (this.#preemption !== undefined || refusalOf(pod, node(), workers.used)) void this.#decide(pod);
    else workers.add(pod);
  }

  /**
   * The scheduler may see a newer node than the kubelet, which reads it when it reports: a label, a taint or a resource
   * that has just changed. So the node is read again before a pod is rejected.
   */
  async #decide(pod: Pod): Promise<void> {
    const { parts, workers, node, readNode } = this.#options;
    this.#undecided.set(uidOf(pod), pod);
    let fresh: Node | undefined;
    do {
      await this.#preemption;
      using _busy = parts.activity.begin();
      fresh = await readNode().catch(() => node());
    } while (this.#preemption !== undefined);
    const latest = this.#undecided.get(uidOf(pod));
    if (!latest) return;
    const refusals = latest.metadata.deletionTimestamp ? [] : [...refusalsOf(latest, fresh, workers.used)];
    const [first, ...rest] = refusals;
    const recovery = first && recoveryOf(latest, [first, ...rest], workers.unfinished());
    if (recovery && 'victims' in recovery) {
      this.#preemption = this.#preempt(latest, recovery);
      return;
    }
    this.#undecided.delete(uidOf(pod));
    if (recovery) this.#reject(latest, recovery.refusal);
    else workers.add(latest);
  }

  /** Admits the pod when the others have terminated, unless it is deleted by then. */
  async #preempt({ metadata: { uid = '' } }: Pod, preemption: Preemption): Promise<void> {
    const { parts, workers, evict, metrics } = this.#options;
    this.#aborter ??= new AbortController();
    const { signal } = this.#aborter;
    await preemptPods({ ...parts, evict, metrics }, preemption, signal);
    this.#preemption = undefined;
    const latest = this.#undecided.get(uid);
    this.#undecided.delete(uid);
    if (latest && !signal.aborted) workers.add(latest);
  }

  #reject(pod: Pod, refusal: PodRejection): void {
    const { parts, workers } = this.#options;
    parts.recorder.event(podReference(pod), 'Warning', refusal.reason, refusal.message);
    workers.reject(pod, rejectionOf(refusal));
  }

  #setStatic(pod: Pod): void {
    const key = keyOf(pod);
    this.#statics.set(key, pod);
    const ending = this.#ending.get(key);
    if (!ending) this.#admit(pod);
    else void ending.then(() => this.#statics.get(key) === pod && this.#admit(pod));
  }

  #removeStatic(pod: Pod): void {
    const { workers } = this.#options;
    const key = keyOf(pod);
    this.#statics.delete(key);
    this.#remove(pod);
    const ending = workers.terminated(uidOf(pod)).then(() => {
      if (this.#ending.get(key) === ending) this.#ending.delete(key);
      return this.#removeOrphanedMirrors();
    });
    this.#ending.set(key, ending);
  }

  #setMirror(mirror: Pod): void {
    const { parts, workers } = this.#options;
    parts.mirrors.observe(mirror);
    const pod = this.#statics.get(keyOf(mirror));
    if (!pod) {
      void this.#removeOrphanedMirrors();
      return;
    }
    if (parts.mirrors.of(pod)) parts.statuses.observeMirror(pod, mirror);
    workers.wake(uidOf(pod));
  }

  #removeMirror(mirror: Pod): void {
    const { parts, workers } = this.#options;
    parts.mirrors.forget(mirror);
    const pod = this.#statics.get(keyOf(mirror));
    if (pod) workers.wake(uidOf(pod));
  }

  async #removeOrphanedMirrors(): Promise<void> {
    if (!this.#complete) return;
    const isWanted = (mirror: Pod) => this.#statics.has(keyOf(mirror)) || this.#ending.has(keyOf(mirror));
    await this.#options.parts.mirrors.removeOrphans(isWanted);
  }
}

function idOf({ id = '' }: PodSandbox): string {
  return id;
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}

function keyOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
