import { type ApiResponse, badRequest, parseDuration, timeout } from '@coracle/apimachinery';
import { type Clock, Fifo, type Millis } from '@coracle/base';
import type { Filter, RequestContext } from '../handler-chain.js';
import type { RequestInfo } from '../request-info.js';

const longVerbs: ReadonlySet<string> = new Set(['watch', 'proxy']);
const longSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

/** Requests that may take as long as they like. */
export function isLongRunning({ verb, subresource, isResourceRequest, path }: RequestInfo): boolean {
  if (!isResourceRequest) return path.startsWith('/debug/pprof/');
  return longVerbs.has(verb) || longSubresources.has(subresource);
}

/** A write takes no longer: whoever waits for it has a time limit too, and wants to hear of ours before that. */
const longestWriteMs: Millis = 34_000;

const tooLong = 'request did not complete within the allotted timeout';
const writeTooLong = 'request did not complete within requested timeout - context deadline exceeded';

/** Ends a request that takes too long with 504. What is done for it is told to stop, and may still come to an end. */
export function deadline(clock: Clock, longestMs: Millis): Filter {
  const reads = new DeadlineQueue(clock, longestMs, tooLong);
  const writes = new DeadlineQueue(clock, Math.min(longestMs, longestWriteMs), writeTooLong);
  return (next) => (context) => {
    if (isLongRunning(context.info)) return next(context);
    const { method } = context.request;
    const usual = method === 'GET' || method === 'HEAD' || !context.info.isResourceRequest ? reads : writes;
    const limitMs = requestedTimeout(context, usual.limitMs);
    const queue = limitMs === usual.limitMs ? usual : new DeadlineQueue(clock, limitMs, usual.message);
    return queue.run(context, next(context));
  };
}

function requestedTimeout({ request, query }: RequestContext, longestMs: Millis): Millis {
  if (!request.query.includes('timeout=')) return longestMs;
  const text = query.get('timeout');
  if (text === null || text === '') return longestMs;
  const asked = parseDuration(text);
  if (asked === undefined) {
    const problem = `time: invalid duration ${JSON.stringify(text)}`;
    throw badRequest(`invalid timeout specified in the request URL - ${problem}`);
  }
  return asked <= 0 ? longestMs : Math.min(asked, longestMs);
}

interface Waiting {
  readonly until: Millis;
  /** Absent once the request is over. */
  expire: (() => void) | undefined;
}

/** Requests with the same limit run out of time in the order in which they came, so one timer serves them all. */
class DeadlineQueue {
  readonly #clock: Clock;
  readonly limitMs: Millis;
  /** What clients are told whose time is over. */
  readonly message: string;
  readonly #waiting = new Fifo<Waiting>();
  #timer: Disposable | undefined;

  constructor(clock: Clock, limitMs: Millis, message: string) {
    this.#clock = clock;
    this.limitMs = limitMs;
    this.message = message;
  }

  run(context: RequestContext, work: Promise<ApiResponse>): Promise<ApiResponse> {
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        until: this.#clock.now() + this.limitMs,
        expire: () => {
          const overdue = timeout(this.message, 0);
          reject(overdue);
          context.cancel(overdue);
        },
      };
      this.#waiting.push(entry);
      this.#timer ??= this.#clock.schedule(this.limitMs, () => this.#onTimer());
      work.then(
        (response) => {
          this.#finish(entry);
          resolve(response);
        },
        (error: unknown) => {
          this.#finish(entry);
          reject(error);
        },
      );
    });
  }

  #finish(entry: Waiting): void {
    entry.expire = undefined;
    while (this.#waiting.size > 0 && !this.#waiting.peek()?.expire) this.#waiting.shift();
    if (this.#waiting.size > 0) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #onTimer(): void {
    const now = this.#clock.now();
    for (let next = this.#waiting.peek(); next && (!next.expire || next.until <= now); next = this.#waiting.peek()) {
      this.#waiting.shift();
      next.expire?.();
    }
    const next = this.#waiting.peek();
    this.#timer = next && this.#clock.schedule(next.until - now, () => this.#onTimer());
  }
}
