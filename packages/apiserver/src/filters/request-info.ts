import type { Filter } from '../handler-chain.js';
import { parseRequestInfo } from '../parse-request-info.js';
import type { RequestInfo } from '../request-info.js';

const mostKept = 10_000;
const longestKept = 300;

/** Reads what the request is about. Paths come again and again, so what was read is kept for a while. */
export function requestInfo(): Filter {
  const cache = new Map<string, RequestInfo>();
  return (next) => (context) => {
    const { method, path, query } = context.request;
    const key = `${method} ${path}?${query}`;
    let info = cache.get(key);
    if (!info) {
      info = Object.freeze(parseRequestInfo(method, path, context.query));
      if (cache.size >= mostKept) cache.clear();
      if (key.length <= longestKept) cache.set(key, info);
    }
    context.info = info;
    return next(context);
  };
}
