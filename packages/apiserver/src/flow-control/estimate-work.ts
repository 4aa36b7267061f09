import type { Millis } from '@coracle/base';
import type { RequestInfo } from '../request-info.js';

/** What a request is expected to occupy: seats while it runs, and seats for a while after it while watchers are served. */
export interface WorkEstimate {
  readonly initialSeats: number;
  readonly finalSeats: number;
  readonly extraMs: Millis;
}

const mostSeats = 10;
const objectsPerSeat = 100;
const watchersPerSeat = 10;
const extraPerSeatMs: Millis = 5;

/** What is known of the resource that a request is about; nothing of resources that are served elsewhere. */
export interface ResourceSize {
  readonly objects: number;
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

/** Lists weigh as much as the objects that they read, writes as much as the watchers that hear of them. */
export function estimateWork(question: WorkQuestion): WorkEstimate {
  const { info, size } = question;
  if (!info.isResourceRequest || !size) return oneSeat;
  if (info.verb === 'list' || sendsInitialEvents(question)) return estimateList(question, size);
  if (writes.has(info.verb) && info.subresource !== 'token') return estimateWrite(question, size);
  return oneSeat;
}

function sendsInitialEvents({ info, query }: WorkQuestion): boolean {
  return info.verb === 'watch' && query.get('sendInitialEvents') === 'true';
}

function estimateList({ info, query, maxSeats }: WorkQuestion, { objects }: ResourceSize): WorkEstimate {
  if (info.name !== '') return oneSeat;
  const limit = Number(query.get('limit') ?? 0);
  const isFromCache = query.get('resourceVersion') === '0' || info.verb === 'watch';
  const read = limit > 0 && !isFromCache ? Math.min(limit, objects) : objects;
  const seats = clamp(Math.ceil(read / objectsPerSeat), maxSeats);
  return seats === 1 ? oneSeat : { initialSeats: seats, finalSeats: 0, extraMs: 0 };
}

function estimateWrite({ maxSeats }: WorkQuestion, { watchers }: ResourceSize): WorkEstimate {
  if (watchers < watchersPerSeat) return oneSeat;
  const wanted = Math.ceil(watchers / watchersPerSeat);
  const finalSeats = clamp(wanted, maxSeats);
  // The work stays the same when it is done by fewer seats: it takes longer.
  return { initialSeats: 1, finalSeats, extraMs: (wanted * extraPerSeatMs) / finalSeats };
}

function clamp(seats: number, maxSeats: number): number {
  return Math.max(1, Math.min(seats, mostSeats, maxSeats));
}
