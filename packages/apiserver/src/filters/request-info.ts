import type { Filter } from '../handler-chain.js';
import { parseRequestInfo } from '../parse-request-info.js';
import type { RequestInfo } from '../request-info.js';

const mostKept = 1_000;
const longestKept = 300;

/**
 * Parses the request. Results for paths of collections are cached, because they are requested often; paths of single
 * objects are many, and most are requested once.
 */
export function requestInfo(): Filter {
  const cache = new Map<string, RequestInfo>();
  return (next) => (context) => {
    const { method, path, query } = context.request;
    const key = `${method} ${path}?${query}`;
    let info = cache.get(key);
    if (!info) {
      info = Object.freeze(parseRequestInfo(method, path, context.query));
      if (info.name === '' && key.length <= longestKept) {
        if (cache.size >= mostKept) cache.clear();
        cache.set(key, info);
      }
    }
    context.info = info;
    return next(context);
  };
}
