import type { ApiResponse } from '@coracle/apimachinery';
import type { Filter } from '../handler-chain.js';

/** Allows cross-origin requests from web pages of these origins (regular expressions). Disabled if there are none. */
export function cors(allowedOrigins: readonly string[]): Filter {
  const patterns = allowedOrigins.map((origin) => new RegExp(origin));
  return (next) => {
    if (patterns.length === 0) return next;
    return async (context) => {
      const { origin } = context.request.headers;
      if (origin === undefined || !patterns.some((pattern) => pattern.test(origin))) return await next(context);
      if (context.request.method === 'OPTIONS')
        return allowing({ status: 204, headers: {}, body: { kind: 'empty' } }, origin);
      return allowing(await next(context), origin);
    };
  };
}

function allowing(response: ApiResponse, origin: string): ApiResponse {
  const headers = {
    ...response.headers,
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
    'access-control-allow-headers':
      'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
    'access-control-expose-headers': 'Date',
    'access-control-allow-credentials': 'true',
  };
  return { ...response, headers };
}
