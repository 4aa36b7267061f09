import { isTerminalPhase, type Pod, type PodStatus } from '@coracle/api';
import { parseTime } from '@coracle/apimachinery';
import { deepEqual, type Millis, monotonicNow, nextTurn } from '@coracle/base';
import { type ContainerEventResponse, CriError } from '@coracle/cri';
import { podReference } from './container-reference.js';
import type { PodRemains } from './garbage/plan-container-removal.js';
import type { Needs } from './kubelet-parts.js';
import type { PodFailure } from './pod-failure.js';
import { newPodWork, observe, type PodWork, type StatusParts, statusOf } from './pod-work.js';
import { lastAllocated, withAllocated } from './resize/allocated-pod.js';
import { PodResizes } from './resize/pod-resizes.js';
import { podUidLabel } from './runtime-labels.js';
import { isStaticPod } from './static-pods/pod-origin.js';
import type { WorkingPod } from './stats/kubelet-metrics.js';
import type { SyncOperation } from './stats/pod-counts.js';
import { type SyncParts, syncPod } from './sync-pod.js';
import { graceOf, removeSandboxes, terminatePod } from './terminate-pod.js';
import { PodPinning } from './topology/pod-pinning.js';
import { UsedResources } from './used-resources.js';

/**
 * The state of a pod in its kubelet. It only moves forward:
 *
 * - syncing: it should run, and is synced repeatedly;
 * - terminating: its containers are being stopped, and none is started any more;
 * - terminated: no container runs, and its status is written; it waits for its deletion.
 */
type Stage = 'syncing' | 'terminating' | 'terminated';

interface Worker extends PodWork {
  stage: Stage;
  readonly seenAt: Millis;
  /** Why the next pass is due. */
  operation: SyncOperation;
  working: boolean;
  /** Whether an event arrived since the current pass began. */
  dirty: boolean;
  /** Time of the runtime's last event, by its clock. Any later observation includes it. */
  eventAt: number;
  /** Whether the API no longer has the pod. */
  removed: boolean;
  /** Timer of the next pass. */
  timer: Disposable | undefined;
  /** Aborts the current pass, whose result is obsolete. */
  aborter: AbortController;
  /** The last grace period of its containers. */
  graceSeconds: number;
  /** Called once none of its containers runs any more. */
  readonly onTerminated: (() => void)[];
  /** Whether its volumes are removed. */
  released: boolean;
  /** Called once its volumes are removed. */
  readonly onReleased: (() => void)[];
}

export type WorkerParts = SyncParts &
  StatusParts &
  Needs<'activity' | 'backoff' | 'imageBackoff' | 'podLogs' | 'allocatable' | 'counts'>;

/**
 * One worker for each pod. Passes of a pod never overlap: an obsolete pass is aborted, and the next begins when it has
 * ended. Events during a pass cause one more pass, not many.
 */
export class PodWorkers implements Disposable {
  /** Resources of the pods in the API that have not ended. */
  readonly used: UsedResources = new UsedResources();
  readonly #parts: WorkerParts;
  readonly #workers = new Map<string, Worker>();
  readonly #resizes: PodResizes<Worker>;
  readonly #ended = new AbortController();
  #stopped = false;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const pinnedBy = PodPinning.policyThatPins(parts.settings);
    this.#resizes = new PodResizes({ ...parts, used: this.used, ...(pinnedBy && { pinnedBy }) });
  }

  /** Whether more than the status of the pod has changed. */
  differs({ metadata, spec }: Pod): boolean {
    const entry = this.#workers.get(metadata.uid ?? '')?.desired;
    if (!entry) return true;
    const { deletionTimestamp, deletionGracePeriodSeconds, labels, annotations } = entry.metadata;
    return (
      metadata.deletionTimestamp !== deletionTimestamp ||
      metadata.deletionGracePeriodSeconds !== deletionGracePeriodSeconds ||
      !deepEqual(metadata.labels, labels) ||
      !deepEqual(metadata.annotations, annotations) ||
      !deepEqual(spec, entry.spec)
    );
  }

  has(uid: string): boolean {
    return this.#workers.has(uid);
  }

  /** The pod exists in the API, with these sandboxes left from before a restart. */
  add(pod: Pod, sandboxIds: Iterable<string> = []): void {
    const uid = pod.metadata.uid ?? '';
    const found = [...sandboxIds];
    const running = found.length > 0 ? lastAllocated(pod) : pod;
    const worker: Worker = {
      ...newPodWork(running, found, this.#ended.signal),
      stage: isOver(pod) ? 'terminating' : 'syncing',
      seenAt: monotonicNow(this.#parts.clock),
      operation: 'create',
      working: false,
      dirty: false,
      eventAt: nothingTold,
      removed: false,
      timer: undefined,
      aborter: new AbortController(),
      graceSeconds: graceOf(pod),
      onTerminated: [],
      released: false,
      onReleased: [],
    };
    this.#workers.set(uid, worker);
    if (!isTerminalPhase(pod.status?.phase)) this.used.add(running);
    if (running !== pod && worker.stage === 'syncing') this.#resizes.update(worker, pod);
    this.#wake(worker);
  }

  /** Rejects the pod: it fails without being started. */
  reject(pod: Pod, failure: PodFailure): void {
    this.add(pod);
    this.fail(pod.metadata.uid ?? '', failure);
  }

  /** Fails the pod as a whole and stops it, with this grace period in seconds or its own. */
  fail(uid: string, failure: PodFailure, graceSeconds?: number): void {
    const worker = this.#workers.get(uid);
    if (worker?.stage !== 'syncing') return;
    worker.failure = failure;
    worker.operation = 'kill';
    this.#terminate(worker, graceSeconds);
  }

  /** Resolves when none of the pod's containers runs any more. */
  async terminated(uid: string): Promise<void> {
    const worker = this.#workers.get(uid);
    if (!worker || worker.stage === 'terminated') return;
    await new Promise<void>((resolve) => worker.onTerminated.push(resolve));
  }

  /** Resolves when the volumes of an ended pod are removed. */
  async released(uid: string): Promise<void> {
    const worker = this.#workers.get(uid);
    if (!worker || worker.released) return;
    await new Promise<void>((resolve) => worker.onReleased.push(resolve));
  }

  /** The pods that may run. */
  active(): Pod[] {
    return [...this.#workers.values()].filter(({ stage }) => stage === 'syncing').map(({ pod }) => pod);
  }

  /** The pods that use resources: those that may run, and terminating ones. */
  unfinished(): Pod[] {
    const counts = ({ stage, removed }: Worker) => stage !== 'terminated' && !removed;
    return [...this.#workers.values()].filter(counts).map(({ pod }) => pod);
  }

  /** Every existing pod, in any state. */
  all(): Pod[] {
    return [...this.#workers.values()].map(({ pod }) => pod);
  }

  /** The state of every pod. */
  states(): WorkingPod[] {
    return [...this.#workers.values()].map(({ stage, removed, pod }) => ({
      lifecycle: stage === 'syncing' ? 'sync' : stage,
      isOrphan: removed,
      isStatic: isStaticPod(pod),
    }));
  }

  remainsOf(uid: string): PodRemains {
    const worker = this.#workers.get(uid);
    if (!worker) return 'gone';
    return worker.stage === 'terminated' ? 'terminated' : 'active';
  }

  update(pod: Pod): void {
    const worker = this.#workers.get(pod.metadata.uid ?? '');
    if (!worker) return;
    const before = worker.desired;
    worker.operation = 'update';
    if (worker.stage === 'syncing') {
      this.#resizes.update(worker, pod);
      this.used.add(worker.pod);
    } else this.#replace(worker, pod);
    this.#retryResizes();
    if (worker.stage === 'syncing' && isOver(pod)) this.#terminate(worker);
    else if (worker.stage === 'terminating' && graceOf(pod) < worker.graceSeconds) this.#hurry(worker);
    else if (before !== pod) this.#wake(worker);
  }

  /**
   * The pod was removed from the API: its containers are stopped, and then its worker is removed. The scheduler reuses
   * its resources at once, so they do not count here any more either.
   */
  remove(uid: string): void {
    const worker = this.#workers.get(uid);
    if (!worker) return;
    worker.removed = true;
    worker.operation = 'kill';
    this.used.remove(uid);
    this.#retryResizes();
    if (worker.stage === 'syncing') this.#terminate(worker);
    else this.#wake(worker);
  }

  wake(uid: string): void {
    const worker = this.#workers.get(uid);
    if (worker) this.#wake(worker);
  }

  /** The result of a probe has changed. */
  onProbe(uid: string): void {
    const worker = this.#workers.get(uid);
    if (worker?.stage === 'terminating') void this.#tellWhileStopping(worker).catch(() => undefined);
    else if (worker) this.#wake(worker);
  }

  /** The problem that stopped all pods is solved. */
  wakeAll(): void {
    for (const worker of this.#workers.values()) this.#wake(worker);
  }

  /** A container of the pod has changed. Changes by the worker itself have usually been observed already. */
  onEvent({ podSandboxStatus, createdAt = 0 }: ContainerEventResponse): void {
    const worker = this.#workers.get(podSandboxStatus?.labels?.[podUidLabel] ?? podSandboxStatus?.metadata?.uid ?? '');
    if (!worker) return;
    worker.eventAt = Math.max(worker.eventAt, createdAt);
    if (hasNews(worker)) this.#start(worker);
  }

  /** Stops without changes: containers keep running. The current pass ends at its next step. */
  [Symbol.dispose](): void {
    this.#stopped = true;
    for (const worker of this.#workers.values()) {
      worker.timer?.[Symbol.dispose]();
      worker.aborter.abort(unwanted);
    }
    this.#workers.clear();
    this.#ended.abort(unwanted);
  }

  #terminate(worker: Worker, graceSeconds: number = graceOf(worker.pod)): void {
    worker.stage = 'terminating';
    worker.graceSeconds = graceSeconds;
    this.#resizes.forget(worker);
    worker.aborter.abort(unwanted);
    this.#wake(worker);
  }

  /** A shorter grace period: the pass that waits for the longer one ends, and another begins. */
  #hurry(worker: Worker): void {
    worker.graceSeconds = graceOf(worker.pod);
    worker.aborter.abort(unwanted);
    this.#wake(worker);
  }

  /** Released resources may be enough for pending resizes. */
  #retryResizes(): void {
    for (const worker of this.#resizes.retry()) this.#wake(worker);
  }

  #replace(worker: Worker, pod: Pod): void {
    worker.desired = pod;
    worker.pod = withAllocated(pod, worker.pod);
  }

  #wake(worker: Worker): void {
    worker.dirty = true;
    this.#start(worker);
  }

  #start(worker: Worker): void {
    if (worker.working || this.#stopped) return;
    worker.working = true;
    void this.#run(worker);
  }

  async #run(worker: Worker): Promise<void> {
    try {
      while (hasNews(worker) && !this.#stopped) await this.#runOnce(worker);
    } finally {
      worker.working = false;
    }
  }

  async #runOnce(worker: Worker): Promise<void> {
    worker.dirty = false;
    worker.eventAt = nothingTold;
    worker.timer?.[Symbol.dispose]();
    worker.timer = undefined;
    const { operation } = worker;
    worker.operation = 'sync';
    const { clock, counts } = this.#parts;
    const began = monotonicNow(clock);
    try {
      await this.#pass(worker);
    } catch (error) {
      // Aborted with the current pass when the kubelet stops.
      if (this.#stopped) return;
      this.#wakeAfter(worker, retryMs);
      this.#log(worker, error);
      this.#tellFailure(worker, error);
    } finally {
      counts.synced(operation, monotonicNow(clock) - began);
    }
  }

  async #pass(worker: Worker): Promise<void> {
    if (worker.stage === 'syncing') await this.#sync(worker);
    if (worker.stage === 'terminating') await this.#stop(worker);
    if (worker.stage === 'terminated') await this.#finish(worker);
  }

  async #sync(worker: Worker): Promise<void> {
    const { clock, health } = this.#parts;
    // The code that detects the problem wakes all workers when it is over.
    if (health.runtimeProblem !== undefined) return;
    if (worker.aborter.signal.aborted) worker.aborter = new AbortController();
    const outcome = await this.#telling(worker, syncPod(this.#parts, worker, worker.aborter.signal));
    if (worker.stage !== 'syncing' || this.#stopped) return;
    const after = outcome.retryMs;
    if (outcome.failure) {
      this.fail(worker.uid, outcome.failure);
      return;
    }
    const status = this.#report(worker);
    if (isTerminalPhase(status.phase)) this.#terminate(worker);
    const { activeDeadlineSeconds } = worker.pod.spec ?? {};
    if (activeDeadlineSeconds !== undefined) {
      const dueAt = (parseTime(status.startTime ?? '') ?? clock.now()) + Number(activeDeadlineSeconds) * 1_000;
      if (clock.now() >= dueAt) this.fail(worker.uid, deadlineExceeded);
      else this.#wakeAfter(worker, Math.min(after ?? dueAt, dueAt - clock.now()));
    } else if (after !== undefined) this.#wakeAfter(worker, after);
  }

  /** Reports the status of the pod so far. */
  #report(worker: Worker): PodStatus {
    const { statuses, counts, clock } = this.#parts;
    const status = statusOf(this.#parts, worker, false);
    const { phase = 'Pending' } = statuses.statusOf(worker.pod);
    if (phase === 'Pending' && status.phase === 'Running') counts.ran(monotonicNow(clock) - worker.seenAt);
    statuses.set(worker.pod, status);
    return status;
  }

  /** Waits for `syncing` to end. If that takes a while, the status is reported meanwhile. */
  async #telling<T>(worker: Worker, syncing: Promise<T>): Promise<T> {
    const ended = syncing.then(
      () => true,
      () => true,
    );
    using busy = this.#parts.activity.begin();
    if (await Promise.race([ended, nextTurn()])) return syncing;
    await observe(this.#parts, worker).catch(() => undefined);
    if (!this.#stopped && worker.stage === 'syncing') this.#report(worker);
    busy[Symbol.dispose]();
    return syncing;
  }

  /** A terminating pod may serve until it has ended; readiness is reported before that. */
  async #tellWhileStopping(worker: Worker): Promise<void> {
    using _busy = this.#parts.activity.begin();
    await observe(this.#parts, worker);
    if (this.#stopped || worker.stage !== 'terminating') return;
    this.#parts.statuses.set(worker.pod, statusOf(this.#parts, worker, false));
  }

  async #stop(worker: Worker): Promise<void> {
    const { probes, tracer } = this.#parts;
    const { namespace, name } = worker.pod.metadata;
    tracer.step('kubelet.terminate', `pods/${namespace}/${name}`);
    probes.ending(worker.uid);
    if (worker.aborter.signal.aborted) worker.aborter = new AbortController();
    const { signal } = worker.aborter;
    await terminatePod(this.#parts, worker, { graceSeconds: worker.graceSeconds, signal });
    if (signal.aborted) return;
    probes.forget(worker.uid);
    const isActive = (uid: string) => uid !== worker.uid;
    await this.#parts.devices?.release(isActive);
    await this.#parts.claims?.release(isActive);
    await this.#parts.pinning?.release(isActive);
    await this.#parts.userNamespaces.release(isActive);
    this.used.remove(worker.uid);
    this.#retryResizes();
    worker.stage = 'terminated';
    for (const tell of worker.onTerminated.splice(0)) tell();
  }

  async #finish(worker: Worker): Promise<void> {
    const { statuses, backoff, imageBackoff, probes, volumes, cgroups, podLogs } = this.#parts;
    if (worker.removed) {
      this.#workers.delete(worker.uid);
      statuses.forget(worker.uid);
      probes.forget(worker.uid);
      for (const one of [backoff, imageBackoff]) one.forget(`${worker.uid}/`);
      await removeSandboxes(this.#parts, worker);
      await cgroups.remove(worker.pod);
      await volumes.forget(worker.pod);
      tellReleased(worker);
      await podLogs.forget(worker.pod);
      return;
    }
    const status = statusOf(this.#parts, worker, true);
    if (!worker.pod.metadata.deletionTimestamp) {
      statuses.set(worker.pod, status);
      // The object may stay for long; the pod's memory and disk space are released.
      if (!worker.released) await volumes.release(worker.pod);
      tellReleased(worker);
    } else {
      // Clients rely on released volumes and memory once the object is removed.
      await cgroups.remove(worker.pod);
      await volumes.forget(worker.pod);
      tellReleased(worker);
      statuses.finish(worker.pod, status);
    }
  }

  #wakeAfter(worker: Worker, delayMs: Millis): void {
    worker.timer?.[Symbol.dispose]();
    worker.timer = this.#parts.clock.schedule(delayMs, () => this.#wake(worker));
  }

  /** A runtime that does not respond delays the pod, or its termination. */
  #tellFailure({ pod, stage }: Worker, error: unknown): void {
    if (!(error instanceof CriError)) return;
    const [reason, what] =
      stage === 'syncing' ? ['FailedSync', 'error determining status'] : ['FailedKillPod', 'error killing pod'];
    this.#parts.recorder.event(podReference(pod), 'Warning', reason, `${what}: ${error.message}`);
  }

  #log({ pod }: Worker, error: unknown): void {
    const { name, namespace } = pod.metadata;
    this.#parts.logger.error('A pod could not be synced', { pod: `${namespace}/${name}`, error });
  }
}

const retryMs: Millis = 10_000;
/** Reason of an aborted pass. Passed explicitly, because a default reason with its stack costs more than the rest. */
const unwanted = 'the pod is not wanted any more';
const deadlineExceeded = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

const nothingTold = -1;

function tellReleased(worker: Worker): void {
  worker.released = true;
  for (const tell of worker.onReleased.splice(0)) tell();
}

/** An event that no pass has processed. */
function hasNews({ dirty, eventAt, state }: Worker): boolean {
  return dirty || (eventAt !== nothingTold && eventAt >= state.observedAt);
}

/** Whether no container should run any more: the pod is being deleted, or has ended. */
function isOver({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined || isTerminalPhase(status?.phase);
}
