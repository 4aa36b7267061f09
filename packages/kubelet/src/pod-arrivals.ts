import type { Node, Pod } from '@coracle/api';
import type { Container, PodSandbox } from '@coracle/cri';
import { type PodRejection, refusalOf } from './admit-pod.js';
import { podReference } from './container-reference.js';
import type { Needs } from './kubelet-parts.js';
import type { PodSink } from './pod-source.js';
import type { PodWorkers } from './pod-workers.js';
import { podUidLabel, restorePod } from './runtime-labels.js';
import { isMirrorPod } from './static-pods/pod-origin.js';
import { sysctlRefusal } from './sysctls.js';

export interface PodArrivalsOptions {
  readonly parts: Needs<'statuses' | 'tracer' | 'recorder' | 'mirrors' | 'settings'>;
  readonly workers: PodWorkers;
  readonly node: () => Node | undefined;
  /** Why the node takes no such pod now, whatever room there is. */
  readonly refusalUnderPressure: (pod: Pod) => PodRejection | undefined;
}

/** What the runtime has of a pod from before this kubelet started. */
interface LeftOver {
  readonly sandboxes: PodSandbox[];
  readonly containers: Container[];
}

/** Takes in the pods of the node, from the API and its own, and those that ran before the kubelet did. */
export class PodArrivals {
  readonly #options: PodArrivalsOptions;
  /** By uid. */
  readonly #leftOver = new Map<string, LeftOver>();
  /** The node's own pods, by namespace and name. */
  readonly #statics = new Map<string, Pod>();
  /** Of static pods that end; one of the same name waits for that. */
  readonly #ending = new Map<string, Promise<void>>();
  #complete = false;

  constructor(options: PodArrivalsOptions) {
    this.#options = options;
  }

  /** All sources have delivered their pods: any other pod on the node is an orphan. */
  get complete(): boolean {
    return this.#complete;
  }

  /** The pods that the API has for the node. */
  readonly fromApi: PodSink = {
    set: (pod) => (isMirrorPod(pod) ? this.#setMirror(pod) : this.#set(pod)),
    remove: (pod) => (isMirrorPod(pod) ? this.#removeMirror(pod) : this.#options.workers.remove(uidOf(pod))),
  };

  /** The pods that the node has by itself. */
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

  /** Stops and removes what still runs of pods that are in no source any more, and deletes them from the API. */
  async finish(): Promise<void> {
    this.#complete = true;
    for (const { sandboxes, containers } of this.#leftOver.values()) this.#end(sandboxes, containers);
    this.#leftOver.clear();
    await this.#removeOrphanedMirrors();
  }

  #leftOverOf({ labels }: PodSandbox | Container): LeftOver {
    const uid = labels?.[podUidLabel] ?? '';
    const entry = this.#leftOver.get(uid) ?? { sandboxes: [], containers: [] };
    this.#leftOver.set(uid, entry);
    return entry;
  }

  /** What its containers requested when they were made is kept: their grace period, their hooks. */
  #end(sandboxes: readonly PodSandbox[], containers: readonly Container[]): void {
    const { workers } = this.#options;
    const pod = restorePod(sandboxes, containers);
    workers.add(pod, sandboxes.map(idOf));
    workers.remove(uidOf(pod));
  }

  #set(pod: Pod): void {
    const { parts, workers } = this.#options;
    if (workers.has(uidOf(pod))) {
      if (parts.statuses.observe(pod) || workers.differs(pod)) workers.update(pod);
    } else this.#admit(pod);
  }

  #admit(pod: Pod): void {
    const { parts, workers } = this.#options;
    parts.tracer.step('kubelet.podAdded', `pods/${pod.metadata.namespace}/${pod.metadata.name}`);
    const found = this.#leftOver.get(uidOf(pod));
    this.#leftOver.delete(uidOf(pod));
    const isIn = found !== undefined || pod.metadata.deletionTimestamp !== undefined;
    const refusal = isIn ? undefined : this.#refusalOf(pod);
    if (!refusal) {
      workers.add(pod, found?.sandboxes.map(idOf));
      return;
    }
    parts.recorder.event(podReference(pod), 'Warning', refusal.reason, refusal.message);
    workers.reject(pod, refusal);
  }

  #refusalOf(pod: Pod): PodRejection | undefined {
    const { parts, workers, node, refusalUnderPressure } = this.#options;
    const { allowedUnsafeSysctls } = parts.settings;
    return (
      refusalUnderPressure(pod) ?? sysctlRefusal(pod, allowedUnsafeSysctls) ?? refusalOf(pod, node(), workers.used)
    );
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
    workers.remove(uidOf(pod));
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
