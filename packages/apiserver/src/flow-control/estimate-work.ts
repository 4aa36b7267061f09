import type { Millis } from '@coracle/base';
import type { RequestInfo } from '../request-info.js';

/**
 * The expected cost of a request: seats while it runs, and seats for some time after it while watchers receive the
 * event.
 */
export interface WorkEstimate {
  readonly initialSeats: number;
  readonly finalSeats: number;
  readonly extraMs: Millis;
}

const mostSeats = 10;
const mostListSeats = 100;
const bytesPerSeat = 100_000;
/** Maximum cost of lists from memory: they are sent as a stream. */
const mostStreamedBytes = 1_000_000;
/**
 * Time to send an event to one watcher: a process sends about 65,000 events/s. Upstream v1.36 assumes 0.5 ms; with
 * that, seats were held far longer than the work took, and patches of pods with 50 watchers were 40 % slower with
 * priority and fairness than without.
 */
const msPerWatcher: Millis = 0.015;
/** Minimum time that a seat is held after a write: timers cannot measure shorter times. */
const leastExtraMs: Millis = 1;

/** The resource of a request; absent for resources that another server serves. */
export interface ResourceSize {
  readonly objects: number;
  /** Mean size of one object. */
  readonly objectBytes: number;
  /** Whether its objects are cached in memory; otherwise lists read them from the store. */
  readonly isCached: boolean;
  readonly watchers: number;
}

export interface WorkQuestion {
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly size: ResourceSize | undefined;
  /** Maximum number of seats that the priority level allows for one request. */
  readonly maxSeats: number;
}

export const oneSeat: WorkEstimate = Object.freeze({ initialSeats: 1, finalSeats: 0, extraMs: 0 });

const writes: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

/** Reads of one object and non-resource requests take one seat, whatever the number of objects. */
export function isSingleSeat({ verb, isResourceRequest }: RequestInfo): boolean {
  return !isResourceRequest || verb === 'get';
}

/** The cost of lists depends on the bytes that they hold at a time, the cost of writes on the number of watchers. */
export function estimateWork(question: WorkQuestion): WorkEstimate {
  const { info, size } = question;
  if (isSingleSeat(info) || !size) return oneSeat;
  if (info.verb === 'list' || sendsInitialEvents(question)) return estimateList(question, size);
  if (writes.has(info.verb) && info.subresource !== 'token') return estimateWrite(question, size);
  return oneSeat;
}

function sendsInitialEvents({ info, query }: WorkQuestion): boolean {
  return info.verb === 'watch' && query.get('sendInitialEvents') === 'true';
}

function estimateList({ info, query, maxSeats }: WorkQuestion, size: ResourceSize): WorkEstimate {
  if (info.name !== '') return oneSeat;
  const seats = Math.max(1, Math.min(Math.ceil(bytesHeld(query, size) / bytesPerSeat), mostListSeats, maxSeats));
  return seats === 1 ? oneSeat : { initialSeats: seats, finalSeats: 0, extraMs: 0 };
}

function bytesHeld(query: URLSearchParams, { objects, objectBytes, isCached }: ResourceSize): number {
  const limit = Number(query.get('limit') ?? 0);
  const listed = limit > 0 ? Math.min(limit, objects) : objects;
  if (isCached) return Math.min(listed * objectBytes, mostStreamedBytes);
  // A page of selected objects requires reading others too: estimated as half of all.
  const isSelective = query.has('labelSelector') || query.has('fieldSelector');
  return (isSelective ? Math.max(listed, objects / 2) : listed) * objectBytes;
}

function estimateWrite({ maxSeats }: WorkQuestion, { watchers }: ResourceSize): WorkEstimate {
  const workMs = watchers * msPerWatcher;
  if (workMs < leastExtraMs) return oneSeat;
  const finalSeats = clamp(Math.floor(workMs / leastExtraMs), maxSeats);
  // The work stays the same when it is done by fewer seats: it takes longer.
  return { initialSeats: 1, finalSeats, extraMs: workMs / finalSeats };
}

function clamp(seats: number, maxSeats: number): number {
  return Math.max(1, Math.min(seats, mostSeats, maxSeats));
}
