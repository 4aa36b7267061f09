import { badRequest, parseDuration, timeout } from '@coracle/apimachinery';
import type { Clock, Millis } from '@coracle/base';
import type { Filter, RequestContext } from '../handler-chain.js';
import type { RequestInfo } from '../request-info.js';

const longVerbs: ReadonlySet<string> = new Set(['watch', 'proxy']);
const longSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

/** Requests that may take as long as they like. */
export function isLongRunning({ verb, subresource, isResourceRequest }: RequestInfo): boolean {
  return isResourceRequest && (longVerbs.has(verb) || longSubresources.has(subresource));
}

/** Ends a request that takes too long with 504. The work itself may still come to an end. */
export function deadline(clock: Clock, longestMs: Millis): Filter {
  return (next) => (context) => {
    if (isLongRunning(context.info)) return next(context);
    const limitMs = requestedTimeout(context, longestMs);
    return new Promise((resolve, reject) => {
      const timer = clock.schedule(limitMs, () =>
        reject(timeout('request did not complete within the allotted timeout', 0)),
      );
      next(context).then(
        (response) => {
          timer[Symbol.dispose]();
          resolve(response);
        },
        (error: unknown) => {
          timer[Symbol.dispose]();
          reject(error);
        },
      );
    });
  };
}

function requestedTimeout({ request, query }: RequestContext, longestMs: Millis): Millis {
  if (!request.query.includes('timeout=')) return longestMs;
  const text = query.get('timeout');
  if (text === null || text === '') return longestMs;
  const asked = parseDuration(text);
  if (asked === undefined)
    throw badRequest(`invalid timeout specified in the request URL - time: invalid duration ${JSON.stringify(text)}`);
  return asked <= 0 ? longestMs : Math.min(asked, longestMs);
}
