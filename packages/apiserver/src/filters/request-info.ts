import type { Filter } from '../handler-chain.js';
import { parseRequestInfo } from '../parse-request-info.js';
import type { RequestInfo } from '../request-info.js';

const mostKept = 10_000;
const longestKept = 300;

/** Reads what the request is about. Paths come again and again, so what was read is kept for a while. */
export function requestInfo(): Filter {
  const known = new Map<string, RequestInfo>();
  return (next) => (context) => {
    const { method, path, query } = context.request;
    const key = `${method} ${path}?${query}`;
    let info = known.get(key);
    if (!info) {
      info = Object.freeze(parseRequestInfo(method, path, context.query));
      if (known.size >= mostKept) known.clear();
      if (key.length <= longestKept) known.set(key, info);
    }
    context.info = info;
    return next(context);
  };
}
