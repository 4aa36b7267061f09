import { computeQosClass, type Pod } from '@coracle/api';
import type { Clock } from '@coracle/base';
import type { EventRecorder } from '@coracle/client';
import { podReference } from '../container-reference.js';
import type { UsedResources } from '../used-resources.js';
import { hasSameResources, withAllocated } from './allocated-pod.js';
import { decideResize, isIncrease } from './decide-resize.js';
import { resizeMessage } from './resize-message.js';
import type { ResizeState } from './resize-state.js';

/** The part of a pod's worker that resizes use. */
export interface ResizablePod {
  /** The pod in the API. */
  desired: Pod;
  /** The pod as it runs, with its allocated resources. */
  pod: Pod;
  resize: ResizeState | undefined;
}

export interface PodResizesOptions {
  readonly allocatable: Readonly<Record<string, string>>;
  readonly used: UsedResources;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  /** See `ResizeRequest`. */
  readonly pinnedBy?: string;
}

/** Allocates the new resources of running pods, or defers it with a reason. */
export class PodResizes<T extends ResizablePod> {
  readonly #options: PodResizesOptions;
  /** Deferred resizes. */
  readonly #deferred = new Set<T>();

  constructor(options: PodResizesOptions) {
    this.#options = options;
  }

  /** The API has the pod as `desired` now. Its resources are allocated if the node has them. */
  update(work: T, desired: Pod): void {
    work.desired = desired;
    if (hasSameResources(desired, work.pod)) {
      work.pod = desired;
      this.forget(work);
      return;
    }
    this.#decide(work);
  }

  /**
   * Call it when resources may be free again. Returns the pods whose resize was allocated, or whose condition has
   * changed.
   */
  retry(): T[] {
    return [...this.#deferred].sort(byUrgency).filter((work) => {
      const before = work.resize;
      this.#decide(work);
      return work.resize !== before;
    });
  }

  /** Whether no resize is pending. */
  forget(work: T): void {
    this.#deferred.delete(work);
    if (work.resize?.pending) work.resize = without(work.resize);
  }

  #decide(work: T): void {
    const { allocatable, used, recorder, clock, pinnedBy } = this.#options;
    const { desired, pod: allocated } = work;
    const verdict = decideResize({
      desired,
      allocated,
      allocatable,
      used: (name) => used.amountOf(name),
      ...(pinnedBy !== undefined && { pinnedBy }),
    });
    const { generation } = desired.metadata;
    if (verdict.kind === 'Deferred') this.#deferred.add(work);
    else this.#deferred.delete(work);
    if (verdict.kind === 'allocate') {
      work.pod = desired;
      work.resize = { generation, inProgress: true };
      used.add(desired);
      recorder.event(podReference(desired), 'Normal', 'ResizeStarted', resizeMessage('Pod resize started', desired));
      return;
    }
    work.pod = withAllocated(desired, allocated);
    const { kind: reason, message } = verdict;
    const before = work.resize?.pending;
    if (before?.reason === reason && before.message === message && work.resize?.generation === generation) return;
    work.resize = { ...work.resize, generation, pending: { reason, message, since: before?.since ?? clock.now() } };
    const text = resizeMessage(`Pod resize ${reason}`, desired, message);
    recorder.event(podReference(desired), 'Warning', `Resize${reason}`, text);
  }
}

function without({ pending: _, ...resize }: ResizeState): ResizeState | undefined {
  return resize.inProgress ? resize : undefined;
}

/** Decreases first, then by priority, QoS class and waiting time. */
function byUrgency(a: ResizablePod, b: ResizablePod): number {
  return (
    Number(isIncrease(a.desired, a.pod)) - Number(isIncrease(b.desired, b.pod)) ||
    (b.desired.spec?.priority ?? 0) - (a.desired.spec?.priority ?? 0) ||
    Number(isGuaranteed(b.desired)) - Number(isGuaranteed(a.desired)) ||
    (a.resize?.pending?.since ?? 0) - (b.resize?.pending?.since ?? 0)
  );
}

function isGuaranteed(pod: Pod): boolean {
  return (pod.status?.qosClass ?? computeQosClass(pod)) === 'Guaranteed';
}
