import { type Clock, type MaybePromise, type Millis, monotonicNow, RecentMap } from '@coracle/base';
import type { RequestInfo } from '../request-info.js';
import type { WorkEstimate } from './estimate-work.js';
import { SeatDemandMeter } from './seat-demand.js';
import { dealHand } from './shuffle-shard.js';
import type { TurnBudget } from './turn-budget.js';

export interface QueuingSettings {
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

export interface FairQueuesSettings {
  /** Maximum number of occupied seats. */
  readonly seats: number;
  /** If 0, requests that find no seats are rejected. */
  readonly queuing?: QueuingSettings | undefined;
}

export interface FairQueuesOptions {
  readonly clock: Clock;
  readonly waitLimitMs: Millis;
  readonly turn?: TurnBudget | undefined;
}

/** Why a request was rejected, as in the label of `apiserver_flowcontrol_rejected_requests_total`. */
export type Rejection = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

export interface RequestDescription {
  readonly schema: string;
  readonly distinguisher: string;
  readonly user: string;
  readonly info: RequestInfo;
}

/** One request. The queues set the fields after `work`. */
export interface QueuedRequest {
  readonly flow: string;
  readonly work: WorkEstimate;
  readonly signal?: (() => AbortSignal) | undefined;
  /** Shown by `dump_requests`. */
  readonly about?: RequestDescription;
  arrivedAt?: Millis;
  startedAt?: Millis;
  queue?: Queue | undefined;
  proceed?: ((rejection?: Rejection) => void) | undefined;
}

/** Requests of the flows that this queue was dealt to. */
export interface Queue {
  readonly index: number;
  readonly waiting: QueuedRequest[];
  /** Whether it has waiting or running requests. */
  isActive: boolean;
  executing: number;
  seatsInUse: number;
  seatsWaiting: number;
  /** The turn of the event loop in which a request was dispatched although the time budget was used up. */
  beganInTurn?: number;
  /** The virtual time at which its next request would start if all queues were served at once. */
  nextDispatchR: number;
}

/** Assumed duration of a request that has not ended. */
const expectedMs: Millis = 3;
const mostHands = 4_096;
/**
 * Minimum number of seats of a level from which one is reserved: neither for large requests, which last long when
 * clients read slowly, nor for flows with running requests. A client with one small request then does not wait for the
 * writes of others.
 */
const seatsPerSpared = 10;

/**
 * The queues of one priority level. Virtual time advances as fast as a server would that divides its seats evenly among
 * all queues with work; the request that such a server would finish first is served next.
 */
export class FairQueues {
  readonly #options: FairQueuesOptions;
  readonly demand: SeatDemandMeter;
  readonly totals = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0, unaccommodated: 0 };
  queues: Queue[] = [];
  waiting = 0;
  executing = 0;
  seatsInUse = 0;
  #settings: FairQueuesSettings;
  #seatsWaiting = 0;
  #activeQueues = 0;
  #virtualTime = 0;
  #advancedAt: Millis;
  #next = 0;
  #hands = new RecentMap<string, readonly number[]>(mostHands);

  constructor(settings: FairQueuesSettings, options: FairQueuesOptions) {
    this.#options = options;
    this.#settings = settings;
    this.#advancedAt = monotonicNow(options.clock);
    this.demand = new SeatDemandMeter(this.#advancedAt);
    this.configure(settings);
  }

  get settings(): FairQueuesSettings {
    return this.#settings;
  }

  /** Virtual time, for `apiserver_flowcontrol_current_r`. */
  get currentR(): number {
    return this.#virtualTime;
  }

  /** Waiting requests keep their queues, even if the number of queues was reduced. */
  configure(settings: FairQueuesSettings): void {
    const { queuing } = settings;
    const { queuing: before } = this.#settings;
    if (queuing?.queues !== before?.queues || queuing?.handSize !== before?.handSize)
      this.#hands = new RecentMap(mostHands);
    this.#settings = settings;
    for (let index = this.queues.length; index < (queuing?.queues ?? 0); index++)
      this.queues.push({
        index,
        waiting: [],
        isActive: false,
        executing: 0,
        seatsInUse: 0,
        seatsWaiting: 0,
        nextDispatchR: 0,
      });
    this.#trim();
    this.dispatch();
  }

  /**
   * Returns, or resolves with, `undefined` when the request may run, otherwise the reason of the rejection. The caller
   * must then call `finish`.
   */
  admit(request: QueuedRequest): MaybePromise<Rejection | undefined> {
    const now = monotonicNow(this.#options.clock);
    request.arrivedAt = now;
    this.#advance(now);
    const { queuing } = this.#settings;
    if (!queuing) return this.#runOrReject(request, now);
    const queue = this.#chooseQueue(request.flow, queuing);
    request.queue = queue;
    if (this.waiting === 0 && this.#fits(request) && (this.#options.turn?.hasTime(now) ?? true)) {
      this.#run(request, now);
      return undefined;
    }
    if (queue.waiting.length >= queuing.queueLengthLimit) {
      this.totals.rejected++;
      return 'queue-full';
    }
    if (!request.signal?.().aborted) return this.#enqueue(request, queue);
    this.totals.cancelled++;
    return 'cancelled';
  }

  finish(request: QueuedRequest): void {
    const { work, startedAt = 0, queue } = request;
    const now = monotonicNow(this.#options.clock);
    this.#advance(now);
    this.executing--;
    if (queue) {
      // Corrects the estimated charge by the actual duration.
      queue.nextDispatchR += work.initialSeats * (now - startedAt - expectedMs);
      queue.executing--;
    }
    this.#options.turn?.leave();
    if (work.extraMs > 0) this.#options.clock.schedule(work.extraMs, () => this.#release(request));
    else this.#release(request, now);
  }

  #release(request: QueuedRequest, now = monotonicNow(this.#options.clock)): void {
    this.#advance(now);
    this.#releaseSeats(request);
    this.dispatch();
  }

  /**
   * Called before a response is sent: `undefined` if it may be sent now, otherwise a promise that resolves when it may.
   * A flow with a single request does not wait.
   */
  answer({ queue }: QueuedRequest): Promise<void> | undefined {
    return (queue?.executing ?? 0) > 1 ? this.#options.turn?.answer() : undefined;
  }

  /** Dispatches waiting requests while there are seats, and time in this turn of the event loop. */
  dispatch(): void {
    while (this.waiting > 0) {
      const queue = this.#nextQueue();
      const request = queue?.waiting[0];
      if (!queue || !request) return;
      const { turn } = this.#options;
      if (turn && !mayBegin(queue, turn)) {
        turn.later(this);
        return;
      }
      this.#next = queue.index + 1;
      this.#dequeue(request, queue);
      this.#run(request, monotonicNow(this.#options.clock));
      request.proceed?.();
    }
  }

  #runOrReject(request: QueuedRequest, now: Millis): Rejection | undefined {
    if (this.#fits(request)) {
      this.#run(request, now);
      return undefined;
    }
    this.totals.rejected++;
    return 'concurrency-limit';
  }

  /** A request that needs more seats than there are runs alone. */
  #fits(request: QueuedRequest): boolean {
    const { seats } = this.#settings;
    if (this.seatsInUse === 0) return seats > 0;
    const requestedSeats = seatsOf(request);
    const spared = takesSpared(request) ? 0 : Math.floor(seats / seatsPerSpared);
    return this.seatsInUse + requestedSeats <= seats - spared;
  }

  #run(request: QueuedRequest, now: Millis): void {
    const { queue, work } = request;
    const seats = seatsOf(request);
    request.startedAt = now;
    this.#options.turn?.enter();
    this.totals.dispatched++;
    this.executing++;
    this.seatsInUse += seats;
    if (queue) {
      this.#activate(queue);
      queue.executing++;
      queue.seatsInUse += seats;
      queue.nextDispatchR = Math.max(queue.nextDispatchR, this.#virtualTime);
      queue.nextDispatchR += work.initialSeats * expectedMs + work.finalSeats * work.extraMs;
    }
    this.#tellDemand(now);
  }

  #releaseSeats(request: QueuedRequest): void {
    const { queue } = request;
    const seats = seatsOf(request);
    this.seatsInUse -= seats;
    if (queue) {
      queue.seatsInUse -= seats;
      this.#deactivate(queue);
    }
    this.#tellDemand(this.#advancedAt);
  }

  #enqueue(request: QueuedRequest, queue: Queue): Promise<Rejection | undefined> {
    const seats = seatsOf(request);
    this.#activate(queue);
    queue.waiting.push(request);
    queue.seatsWaiting += seats;
    this.waiting++;
    this.#options.turn?.enter();
    this.#seatsWaiting += seats;
    this.#tellDemand(this.#advancedAt);
    const outcome = new Promise<Rejection | undefined>((resolve) => this.#arm(request, queue, resolve));
    this.dispatch();
    return outcome;
  }

  /** The wait ends with a seat, the time limit or the client's disconnect, whichever comes first. */
  #arm(request: QueuedRequest, queue: Queue, resolve: (rejection: Rejection | undefined) => void): void {
    const { clock, waitLimitMs } = this.#options;
    const signal = request.signal?.();
    const giveUp = (rejection: 'time-out' | 'cancelled') => {
      this.#advance(monotonicNow(clock));
      this.totals[rejection === 'cancelled' ? 'cancelled' : 'timedOut']++;
      this.#dequeue(request, queue);
      this.#deactivate(queue);
      request.proceed?.(rejection);
    };
    const timer = clock.schedule(waitLimitMs, () => giveUp('time-out'));
    const onAbort = () => giveUp('cancelled');
    request.proceed = (rejection) => {
      timer[Symbol.dispose]();
      signal?.removeEventListener('abort', onAbort);
      request.proceed = undefined;
      resolve(rejection);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  }

  #dequeue(request: QueuedRequest, queue: Queue): void {
    queue.waiting.splice(queue.waiting.indexOf(request), 1);
    queue.seatsWaiting -= seatsOf(request);
    this.waiting--;
    this.#options.turn?.leave();
    this.#seatsWaiting -= seatsOf(request);
  }

  /** The queue in the flow's hand with the least work. */
  #chooseQueue(flow: string, { queues, handSize }: QueuingSettings): Queue {
    let hand = this.#hands.get(flow);
    if (!hand) {
      hand = dealHand(flow, queues, handSize);
      this.#hands.set(flow, hand);
    }
    let best = this.queues[hand[0] as number] as Queue;
    for (let i = 1; i < hand.length; i++) {
      const queue = this.queues[hand[i] as number] as Queue;
      if (queue.seatsWaiting + queue.seatsInUse < best.seatsWaiting + best.seatsInUse) best = queue;
    }
    return best;
  }

  /** The fairest queue; if its request finds no seats, the fairest queue that may use the reserved ones. */
  #nextQueue(): Queue | undefined {
    const fairest = this.#fairestQueue();
    const head = fairest?.waiting[0];
    if (!head || this.#fits(head)) return fairest;
    this.totals.unaccommodated++;
    return this.#fairestQueue((request) => takesSpared(request) && this.#fits(request));
  }

  /** The queue with waiting requests whose next request would end first. Equal queues take turns. */
  #fairestQueue(counts: (head: QueuedRequest) => boolean = () => true): Queue | undefined {
    let best: Queue | undefined;
    let earliest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.queues.length; i++) {
      const queue = this.queues[(this.#next + i) % this.queues.length] as Queue;
      const head = queue.waiting[0];
      if (!head) continue;
      // Unused capacity is not accumulated: a queue starts at the current virtual time at the earliest.
      const start = Math.max(queue.nextDispatchR, this.#virtualTime);
      const end = start + head.work.initialSeats * expectedMs;
      if (end < earliest && counts(head)) [best, earliest] = [queue, end];
    }
    return best;
  }

  /** A queue that becomes active starts at the current virtual time. */
  #activate(queue: Queue): void {
    if (queue.isActive) return;
    queue.isActive = true;
    queue.nextDispatchR = this.#virtualTime;
    this.#activeQueues++;
  }

  #deactivate(queue: Queue): void {
    if (queue.waiting.length > 0 || queue.seatsInUse > 0) return;
    queue.isActive = false;
    this.#activeQueues--;
    this.#trim();
  }

  /** Queues beyond the configured number are removed when they are empty. */
  #trim(): void {
    const queueCount = this.#settings.queuing?.queues ?? 0;
    while (this.queues.length > queueCount && this.queues.at(-1)?.isActive === false) this.queues.pop();
  }

  #advance(now: Millis): void {
    const elapsed = now - this.#advancedAt;
    this.#advancedAt = now;
    if (elapsed <= 0 || this.#activeQueues === 0) return;
    const served = Math.min(this.seatsInUse + this.#seatsWaiting, this.#settings.seats);
    this.#virtualTime += (elapsed * served) / this.#activeQueues;
  }

  #tellDemand(now: Millis): void {
    this.demand.set(this.seatsInUse + this.#seatsWaiting, now);
  }
}

/** The first request of a queue that has nothing running does not count against the budget; later ones do. */
function mayBegin(queue: Queue, turn: TurnBudget): boolean {
  if (queue.executing > 0 || queue.beganInTurn === turn.number) return turn.release();
  queue.beganInTurn = turn.number;
  return true;
}

function takesSpared(request: QueuedRequest): boolean {
  return seatsOf(request) === 1 && (request.queue?.executing ?? 0) === 0;
}

function seatsOf({ work }: QueuedRequest): number {
  return Math.max(work.initialSeats, work.finalSeats);
}
