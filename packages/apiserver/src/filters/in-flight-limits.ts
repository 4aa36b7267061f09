import type { ApiResponse } from '@coracle/apimachinery';
import { type Clock, Fifo, type Millis } from '@coracle/base';
import type { Filter, Handler, RequestContext } from '../handler-chain.js';
import { takesValues } from '../negotiation/respond.js';
import { isLongRunning } from './deadline.js';

export interface InFlightLimits {
  /** Maximum number of read requests in flight; 0 for no limit. */
  readonly readOnly: number;
  readonly mutating: number;
}

export const defaultInFlightLimits: InFlightLimits = { readOnly: 400, mutating: 200 };

/** Maximum number of waiting requests for each request in flight, and maximum wait. */
const waitingPerSlot = 16;
const longestWaitMs: Millis = 15_000;

const exemptGroup = 'system:masters';
const refusal = 'Too many requests, please try again later.';

/**
 * Two FIFO queues, for reads and for writes, with `--enable-priority-and-fairness=false`. Requests beyond the maximum
 * queue length are rejected with 429. Long-running requests do not count, `system:masters` and callers in this process
 * are exempt.
 */
export function inFlightLimits(clock: Clock, limits: InFlightLimits = defaultInFlightLimits): Filter {
  const readOnly = new Slots(clock, limits.readOnly);
  const mutating = new Slots(clock, limits.mutating);
  return (next) => (context) => {
    if (isLongRunning(context.info) || takesValues(context)) return next(context);
    const { method } = context.request;
    const slots = method === 'GET' || method === 'HEAD' ? readOnly : mutating;
    return slots.limit === 0 ? next(context) : slots.run(context, next);
  };
}

interface Waiting {
  /** Call it once. */
  readonly proceed: (isTurn: boolean) => void;
  over: boolean;
}

/** Requests in flight and, in the order of arrival, waiting requests. */
class Slots {
  readonly limit: number;
  readonly #clock: Clock;
  /** Includes requests that have ended while waiting, which are removed when they reach the head. */
  readonly #waiting = new Fifo<Waiting>();
  /** Number of waiting requests that have not ended. */
  #waitingCount = 0;
  /** Exceeds the limit only while requests of administrators are served. */
  #used = 0;

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.limit = limit;
  }

  async run(context: RequestContext, next: Handler): Promise<ApiResponse> {
    if (this.#used < this.limit || context.user.groups.includes(exemptGroup)) this.#used++;
    else if (!(await this.#turn(context))) return tooManyRequests(1);
    try {
      return await next(context);
    } finally {
      this.#release();
    }
  }

  /** Resolves with true when the request gets a slot, with false if it is rejected or its client has disconnected. */
  #turn(context: RequestContext): Promise<boolean> {
    if (this.#waitingCount >= this.limit * waitingPerSlot) return Promise.resolve(false);
    const { signal } = context;
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const giveUp = () => entry.proceed(false);
      const timer = this.#clock.schedule(longestWaitMs, giveUp);
      const entry: Waiting = {
        over: false,
        proceed: (isTurn) => {
          entry.over = true;
          this.#waitingCount--;
          timer[Symbol.dispose]();
          signal.removeEventListener('abort', giveUp);
          this.#dropOver();
          resolve(isTurn);
        },
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waitingCount++;
      this.#waiting.push(entry);
    });
  }

  #dropOver(): void {
    while (this.#waiting.peek()?.over) this.#waiting.shift();
  }

  #release(): void {
    const next = this.#used > this.limit ? undefined : this.#waiting.peek();
    if (next) next.proceed(true);
    else this.#used--;
  }
}

/** In plain text, as kube-apiserver does: the content type is not negotiated yet. */
export function tooManyRequests(retryAfterSeconds: number): ApiResponse {
  return {
    status: 429,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'retry-after': String(retryAfterSeconds),
    },
    body: {
      kind: 'bytes',
      chunks: [
        new TextEncoder().encode(`${refusal}
`),
      ],
    },
  };
}
