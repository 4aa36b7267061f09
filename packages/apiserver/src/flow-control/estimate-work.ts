import type { Millis } from '@coracle/base';
import type { RequestInfo } from '../request-info.js';

/** What a request is expected to occupy: seats while it runs, and seats for a while after it while watchers are served. */
export interface WorkEstimate {
  readonly initialSeats: number;
  readonly finalSeats: number;
  readonly extraMs: Millis;
}

const mostSeats = 10;
const mostListSeats = 100;
const bytesPerSeat = 100_000;
/** Lists from memory are sent as a stream: they never hold more than this. */
const mostStreamedBytes = 1_000_000;
/**
 * What sending an event to one watcher takes: a process sends about 65,000 events/s to watchers. Upstream v1.36 assumes
 * 0.5 ms; with that, seats were held for far longer than the work took, and patches of pods with 50 watchers were 40 %
 * slower with priority and fairness than without.
 */
const msPerWatcher: Millis = 0.015;
/** Minimum time that a seat is held after a write: timers cannot measure shorter times. */
const leastExtraMs: Millis = 1;

/** The resource of a request; absent for resources that another server serves. */
export interface ResourceSize {
  readonly objects: number;
  /** The mean size of one. */
  readonly objectBytes: number;
  /** Its objects are in memory; otherwise lists read them from the store. */
  readonly isCached: boolean;
  readonly watchers: number;
}

export interface WorkQuestion {
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly size: ResourceSize | undefined;
  /** What the priority level allows for one request. */
  readonly maxSeats: number;
}

export const oneSeat: WorkEstimate = Object.freeze({ initialSeats: 1, finalSeats: 0, extraMs: 0 });

const writes: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

/** Reads of one object, and requests outside resources, take one seat, however many objects there are. */
export function isSingleSeat({ verb, isResourceRequest }: RequestInfo): boolean {
  return !isResourceRequest || verb === 'get';
}

/** Lists weigh as many bytes as they hold at a time, writes as much as the watchers that receive them. */
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
  // A page of selected objects requires reading others too: about half of all, without better information.
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
