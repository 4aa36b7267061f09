import { type ApiResponse, badRequest, parseDuration, timeout } from '@coracle/apimachinery';
import { type Clock, Deadlines, type Millis } from '@coracle/base';
import type { Filter, RequestContext } from '../handler-chain.js';
import type { RequestInfo } from '../request-info.js';

const longVerbs: ReadonlySet<string> = new Set(['watch', 'proxy']);
const longSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

/** Requests without a timeout. */
export function isLongRunning({ verb, subresource, isResourceRequest, path }: RequestInfo): boolean {
  if (!isResourceRequest) return path.startsWith('/debug/pprof/');
  return longVerbs.has(verb) || longSubresources.has(subresource);
}

/** Maximum timeout of a write: shorter than that of most clients, so that they receive the server's error. */
const longestWriteMs: Millis = 34_000;

const tooLong = 'request did not complete within the allotted timeout';
const writeTooLong = 'request did not complete within requested timeout - context deadline exceeded';

/** Answers a request that exceeds its timeout with 504. Its work is cancelled, and may still complete. */
export function deadline(clock: Clock, longestMs: Millis): Filter {
  const reads = new TimedRequests(clock, longestMs, tooLong);
  const writes = new TimedRequests(clock, Math.min(longestMs, longestWriteMs), writeTooLong);
  return (next) => (context) => {
    if (isLongRunning(context.info)) return next(context);
    const { method } = context.request;
    const usual = method === 'GET' || method === 'HEAD' || !context.info.isResourceRequest ? reads : writes;
    const limitMs = requestedTimeout(context, usual.limitMs);
    const requests = limitMs === usual.limitMs ? usual : new TimedRequests(clock, limitMs, usual.message);
    context.endsAt = clock.now() + limitMs;
    return requests.run(context, next(context));
  };
}

function requestedTimeout({ request, query }: RequestContext, longestMs: Millis): Millis {
  if (!request.query.includes('timeout=')) return longestMs;
  const text = query.get('timeout');
  if (text === null || text === '') return longestMs;
  const timeout = parseDuration(text);
  if (timeout === undefined) {
    const problem = `time: invalid duration ${JSON.stringify(text)}`;
    throw badRequest(`invalid timeout specified in the request URL - ${problem}`);
  }
  return timeout <= 0 ? longestMs : Math.min(timeout, longestMs);
}

/** Requests with the same timeout, and the error for those that exceed it. */
class TimedRequests {
  readonly #deadlines: Deadlines;
  readonly message: string;

  constructor(clock: Clock, limitMs: Millis, message: string) {
    this.#deadlines = new Deadlines(clock, limitMs);
    this.message = message;
  }

  get limitMs(): Millis {
    return this.#deadlines.limitMs;
  }

  run(context: RequestContext, work: Promise<ApiResponse>): Promise<ApiResponse> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const deadline = this.#deadlines.begin(() => {
        isOver = true;
        const overdue = timeout(this.message, 0);
        reject(overdue);
        context.cancel(overdue);
      });
      work.then(
        (response) => {
          this.#deadlines.end(deadline);
          // The response can no longer be sent.
          if (isOver) response.onSent?.();
          else resolve(response);
        },
        (error: unknown) => {
          this.#deadlines.end(deadline);
          reject(error);
        },
      );
    });
  }
}
