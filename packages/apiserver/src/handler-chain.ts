import type { ApiRequest, ApiResponse } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { RequestInfo } from './request-info.js';
import type { UserInfo } from './user-info.js';

/** A request on its way through the server. Filters fill it in; each field says which. */
export interface RequestContext {
  readonly request: ApiRequest;
  readonly receivedAt: Millis;
  /** The query, parsed once. */
  readonly query: URLSearchParams;
  /** request-info */
  info: RequestInfo;
  /** authenticate, then impersonate */
  user: UserInfo;
  /** audit */
  auditId: string;
  /** deadline: aborts when the client has gone, or time is up. */
  signal: AbortSignal;
  /** Sent as `Warning` headers, each once. */
  readonly warnings: string[];
}

export type Handler = (context: RequestContext) => Promise<ApiResponse>;

/** Does something before, after or instead of the rest of the chain. */
export type Filter = (next: Handler) => Handler;

/** Reads top to bottom in the order a request meets the filters. */
export function chain(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight((next, filter) => filter(next), handler);
}
