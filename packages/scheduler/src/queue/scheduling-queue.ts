import { type Clock, Deferred, Heap, type Millis, monotonicNow } from '@coracle/base';
import type { PodInfo } from '../cache/pod-info.js';
import type { ClusterEvent } from './cluster-event.js';
import { EventLog, type LogPosition } from './event-log.js';
import type { QueuedPod } from './queued-pod.js';
import { type EventKey, WaitingIndex } from './waiting-index.js';

export interface SchedulingQueueOptions {
  readonly clock: Clock;
  readonly compare: (a: QueuedPod, b: QueuedPod) => number;
  /** The plugin that gates the pod, or `undefined`. */
  readonly gate: (pod: PodInfo) => string | undefined;
  /** Whether an event may make a pod schedulable that these plugins rejected. */
  readonly mayHelp: (event: ClusterEvent, pod: QueuedPod) => boolean;
  /** The only events for which `mayHelp` may return true; all of them by default. */
  readonly listensTo?: (pod: QueuedPod) => Iterable<EventKey> | undefined;
  readonly initialBackoffMs?: Millis;
  readonly maxBackoffMs?: Millis;
  /** A pod that no event has requeued for this long is retried. */
  readonly maxUnschedulableMs?: Millis;
  /** A pod has entered or left a part of the queue, with the labels of the metrics. */
  readonly onMove?: (move: QueueMove) => void;
}

/** The parts of the queue, as named in metrics. */
export type QueueName = 'active' | 'backoff' | 'unschedulable' | 'gated';

export interface QueueMove {
  readonly pod: QueuedPod;
  readonly from: QueueName | undefined;
  readonly to: QueueName | undefined;
  /** Why it moved to `to`. */
  readonly event: string;
}

/** `resting`: an error occurred during the attempt; the pod is retried when its backoff ends, and not before. */
type Place = 'active' | 'backoff' | 'resting' | 'unschedulable' | 'in-flight';

interface Entry {
  readonly pod: QueuedPod;
  place: Place;
  /** When its backoff ends. */
  readyAt: Millis;
  /**
   * When it was taken. Its plugins have not seen later events: if one of them helps, the pod must not wait for the next
   * one.
   */
  takenAt: LogPosition;
  /** Whether the pod itself has changed since it was taken. */
  hasChanged: boolean;
}

/**
 * The pods that wait for a node.
 *
 *     add ──► active ──take──► in flight ──► (bound)
 *               ▲                  │ refused
 *               │ backoff over     ▼
 *            backoff ◄──event── unschedulable
 *
 * Each pod is in one place. The caller that takes a pod returns it with `refuse`, or calls `done`.
 * When no pod is active, a pod in backoff is handed out early: waiting has no use then.
 */
export class SchedulingQueue {
  readonly #options: Required<SchedulingQueueOptions>;
  readonly #entries = new Map<string, Entry>();
  /** The unschedulable pods, by the events that may requeue them. */
  readonly #unschedulable = new WaitingIndex<Entry>();
  /** Pods in flight, in the order in which they were taken. */
  readonly #inFlight = new Set<Entry>();
  /** Events since the first of them was taken. */
  readonly #log = new EventLog();
  /** Both heaps may have stale entries; `place` decides. */
  readonly #active: Heap<Entry>;
  /** Sorted by the second in which the backoff ends, then by the queue sort plugin. */
  readonly #backoff: Heap<Entry>;
  #taker: Deferred<QueuedPod | undefined> | undefined;
  #timer: Disposable | undefined;
  #timerAt: Millis = Number.POSITIVE_INFINITY;
  #closed = false;
  #sequence = 0;

  constructor(options: SchedulingQueueOptions) {
    this.#options = {
      initialBackoffMs: 1_000,
      maxBackoffMs: 10_000,
      maxUnschedulableMs: 300_000,
      onMove: () => {},
      listensTo: () => undefined,
      ...options,
    };
    const { compare } = this.#options;
    this.#active = new Heap((a, b) => compare(a.pod, b.pod));
    this.#backoff = new Heap((a, b) => secondOf(a.readyAt) - secondOf(b.readyAt) || compare(a.pod, b.pod));
  }

  get size(): number {
    return this.#entries.size;
  }

  has(uid: string): boolean {
    return this.#entries.has(uid);
  }

  /** Pods that are not in flight, for metrics and for tests. */
  count(place: Place): number {
    let count = 0;
    for (const entry of this.#entries.values()) if (entry.place === place) count++;
    return count;
  }

  /** All pods, waiting and in flight, for debugging. */
  pods(): PodInfo[] {
    return [...this.#entries.values()].map(({ pod }) => pod.info);
  }

  /** Adds a pod without a node. */
  add(info: PodInfo): void {
    if (this.#closed || this.#entries.has(info.uid)) return;
    const now = monotonicNow(this.#options.clock);
    const counts = { attempts: 0, refusals: 0, errorsInRow: 0, refusedBy: new Set<string>() };
    const pod: QueuedPod = { info, queuedAt: now, firstQueuedAt: now, sequence: this.#sequence++, ...counts };
    const entry: Entry = { pod, place: 'in-flight', readyAt: 0, takenAt: 0, hasChanged: false };
    this.#entries.set(info.uid, entry);
    this.#activate(entry, 'PodAdd');
  }

  /** Updates the pod. A change that may help requeues it at once. */
  update(info: PodInfo): void {
    const entry = this.#entries.get(info.uid);
    if (!entry) {
      this.add(info);
      return;
    }
    entry.pod.info = info;
    if (entry.place === 'unschedulable') this.#wake(entry, { kind: 'self-updated' });
    else if (entry.place === 'in-flight') entry.hasChanged = true;
  }

  /** Updates the pod after a change that cannot make it schedulable: it stays where it is. */
  refresh(info: PodInfo): void {
    const entry = this.#entries.get(info.uid);
    if (!entry) return;
    entry.pod.info = info;
    // It may refer to other objects now.
    if (entry.place === 'unschedulable') this.#unschedulable.add(entry, this.#options.listensTo(entry.pod));
  }

  /** Removes a pod that was deleted, or has a node. */
  remove(uid: string): void {
    const entry = this.#entries.get(uid);
    if (!entry) return;
    this.#entries.delete(uid);
    this.#move(entry, 'in-flight', '');
    this.#land(entry);
  }

  /** Takes the next pod, and waits for one. `undefined` when the queue is closed. */
  async take(): Promise<QueuedPod | undefined> {
    const next = this.takeNow();
    if (next || this.#closed) return next;
    this.#taker = new Deferred();
    return this.#taker.promise;
  }

  /** The same without waiting. */
  takeNow(): QueuedPod | undefined {
    const entry = this.#popFrom(this.#active, 'active') ?? this.#popFrom(this.#backoff, 'backoff');
    return entry && this.#takeOff(entry);
  }

  /** Takes those of these pods that may be scheduled, also before their backoff ends. */
  takeThese(uids: Iterable<string>): QueuedPod[] {
    const taken: QueuedPod[] = [];
    for (const uid of uids) {
      const entry = this.#entries.get(uid);
      if (!entry || entry.place === 'in-flight' || entry.place === 'resting') continue;
      if (entry.pod.gatedBy === undefined) taken.push(this.#takeOff(entry));
    }
    return taken;
  }

  #takeOff(entry: Entry): QueuedPod {
    this.#move(entry, 'in-flight', '');
    this.#inFlight.add(entry);
    entry.takenAt = this.#log.end;
    entry.hasChanged = false;
    entry.pod.attempts++;
    return entry.pod;
  }

  /**
   * Returns a pod that does not fit. It waits for an event that concerns the plugins that rejected it, or, after an
   * error, for its backoff.
   */
  refuse(pod: QueuedPod, refusedBy: ReadonlySet<string>): void {
    const entry = this.#entries.get(pod.info.uid);
    if (!entry || entry.pod !== pod) return;
    pod.refusedBy = refusedBy;
    if (refusedBy.size === 0) pod.errorsInRow++;
    else {
      pod.refusals++;
      pod.errorsInRow = 0;
    }
    pod.queuedAt = monotonicNow(this.#options.clock);
    pod.sequence = this.#sequence++;
    entry.readyAt = pod.queuedAt + this.#backoffMs(pod);
    const helped =
      entry.hasChanged ||
      this.#log.someSince(entry.takenAt, pod.info.uid, (event) => this.#options.mayHelp(event, pod));
    this.#land(entry);
    if (refusedBy.size === 0) this.#move(entry, 'resting', attemptFailed);
    else if (helped) this.#toBackoff(entry, attemptFailed);
    else this.#move(entry, 'unschedulable', attemptFailed);
    this.#armFor(entry);
  }

  /** Ends the attempt of a pod that is being bound. */
  done(pod: QueuedPod): void {
    this.remove(pod.info.uid);
  }

  /** Requeues the pods that an event may help. `except` caused it and cannot be helped by it. */
  onEvent(event: ClusterEvent, { except }: { readonly except?: string } = {}): void {
    if (this.#inFlight.size > 0) this.#log.add(event, except);
    const isHelped = ({ pod }: Entry) => pod.info.uid !== except && this.#options.mayHelp(event, pod);
    for (const entry of this.#unschedulable.listeningTo(event, isHelped)) this.#wake(entry, event);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.[Symbol.dispose]();
    this.#taker?.resolve(undefined);
    this.#taker = undefined;
  }

  #wake(entry: Entry, event: ClusterEvent): void {
    const { pod } = entry;
    const name = eventNames[event.kind];
    if (pod.gatedBy !== undefined || entry.readyAt <= monotonicNow(this.#options.clock)) this.#activate(entry, name);
    else this.#toBackoff(entry, name);
  }

  #activate(entry: Entry, event: string): void {
    const gatedBy = this.#options.gate(entry.pod.info);
    const from = queueOf(entry);
    if (gatedBy !== undefined) {
      entry.pod.gatedBy = gatedBy;
      entry.pod.refusedBy = new Set([gatedBy]);
      this.#move(entry, 'unschedulable', event, from);
      return;
    }
    delete entry.pod.gatedBy;
    this.#move(entry, 'active', event, from);
    this.#active.push(entry);
    this.#serve();
  }

  /** It is no longer in flight. Events from before the oldest pod in flight are no longer needed. */
  #land(entry: Entry): void {
    if (!this.#inFlight.delete(entry)) return;
    const [first] = this.#inFlight;
    this.#log.dropBefore(first ? first.takenAt : this.#log.end);
  }

  /** All moves between parts of the queue. */
  #move(entry: Entry, place: Place, event: string, from: QueueName | undefined = queueOf(entry)): void {
    entry.place = place;
    if (place === 'unschedulable') this.#unschedulable.add(entry, this.#options.listensTo(entry.pod));
    else this.#unschedulable.remove(entry);
    const to = queueOf(entry);
    if (from !== to) this.#options.onMove({ pod: entry.pod, from, to, event });
  }

  #toBackoff(entry: Entry, event: string): void {
    this.#move(entry, 'backoff', event);
    this.#backoff.push(entry);
    this.#serve();
    this.#armFor(entry);
  }

  /** Passes the next pod to a waiting taker. */
  #serve(): void {
    if (!this.#taker) return;
    const next = this.takeNow();
    if (!next) return;
    this.#taker.resolve(next);
    this.#taker = undefined;
  }

  #popFrom(heap: Heap<Entry>, place: Place): Entry | undefined {
    for (let entry = heap.pop(); entry; entry = heap.pop()) {
      const current = this.#entries.get(entry.pod.info.uid) === entry && entry.place === place;
      if (current) return entry;
    }
    return undefined;
  }

  /** 1 s, 2 s, 4 s … up to 10 s. */
  #backoffMs({ refusals, errorsInRow }: QueuedPod): Millis {
    const { initialBackoffMs, maxBackoffMs } = this.#options;
    return Math.min(maxBackoffMs, initialBackoffMs * 2 ** Math.max(0, (errorsInRow || refusals) - 1));
  }

  /** One timer for all backoffs and retries, set to the earliest time. */
  #armFor(entry: Entry): void {
    const dueAt = this.#dueAt(entry);
    if (this.#closed || dueAt >= this.#timerAt) return;
    const { clock } = this.#options;
    this.#timer?.[Symbol.dispose]();
    this.#timerAt = dueAt;
    this.#timer = clock.schedule(dueAt - monotonicNow(clock), () => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      this.#flush();
      for (const one of this.#entries.values()) this.#armFor(one);
    });
  }

  #dueAt({ place, readyAt, pod }: Entry): Millis {
    if (place === 'backoff' || place === 'resting') return readyAt;
    if (place === 'unschedulable' && pod.gatedBy === undefined) return pod.queuedAt + this.#options.maxUnschedulableMs;
    return Number.POSITIVE_INFINITY;
  }

  #flush(): void {
    const now = monotonicNow(this.#options.clock);
    for (const entry of this.#entries.values())
      if (this.#dueAt(entry) <= now)
        this.#activate(entry, entry.place === 'unschedulable' ? 'UnschedulableTimeout' : 'BackoffComplete');
  }
}

const attemptFailed = 'ScheduleAttemptFailure';

/** The names of events in metrics. */
const eventNames: Readonly<Record<ClusterEvent['kind'], string>> = {
  'node-added': 'NodeAdd',
  'node-deleted': 'NodeDelete',
  'node-updated': 'NodeUpdate',
  'pod-added': 'AssignedPodAdd',
  'pod-updated': 'AssignedPodUpdate',
  'pod-deleted': 'AssignedPodDelete',
  'group-changed': 'PodGroupUpdate',
  'self-updated': 'PodUpdate',
  other: 'UnknownEvent',
};

function queueOf({ place, pod }: Entry): QueueName | undefined {
  if (place === 'in-flight') return undefined;
  if (place === 'resting') return 'backoff';
  return place === 'unschedulable' && pod.gatedBy !== undefined ? 'gated' : place;
}

function secondOf(at: Millis): number {
  return Math.floor(at / 1_000);
}
