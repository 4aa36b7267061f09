import type { ApiRequest, ApiResponse, Channel } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { AuditTrail } from './audit/audit-event.js';
import type { RequestInfo } from './request-info.js';
import type { RequestLifetime } from './request-lifetime.js';
import type { RequestTrace } from './request-trace.js';
import type { UserInfo } from './user-info.js';

/** A request while it passes the filters, which fill in its fields; each field names its filter. */
export interface RequestContext extends RequestLifetime {
  readonly request: ApiRequest;
  readonly receivedAt: Millis;
  /** The query, parsed once. */
  readonly query: URLSearchParams;
  /** request-info */
  info: RequestInfo;
  /** authenticate, then impersonate */
  user: UserInfo;
  /** trace-request, if the tracer follows the request. */
  trace?: RequestTrace | undefined;
  /** audit-ids */
  auditId: string;
  /** audit, if the policy requests events of this request. */
  audit?: AuditTrail | undefined;
  /** deadline */
  endsAt?: Millis | undefined;
  /** Long-running handlers must check it. */
  readonly signal: AbortSignal;
  /** Aborts the signal. */
  cancel(reason: unknown): void;
  /** Called when the request has been answered completely. */
  release(): void;
  /** Sent with the answer, whatever it is. */
  responseHeaders?: Readonly<Record<string, string>> | undefined;
  /** Sent as `Warning` headers, each once. */
  readonly warnings: string[];
  /** Set if the body has empty lists that are not stored, and matter only for managed fields. */
  holdsEmpty?: boolean;
  /** Present if the client requests an upgrade (exec, attach, port-forward). */
  readonly upgrade?: Upgrade;
}

/** A request for a two-way channel. The handler that serves it opens the channel and answers 101. */
export interface Upgrade {
  /**
   * The protocols of the client, in its order of preference: `v5.channel.k8s.io`, … Those that begin with `SPDY/3.1+`
   * carry the bytes of a SPDY connection.
   */
  readonly protocols: readonly string[];
  channel?: Channel;
}

export type Handler = (context: RequestContext) => Promise<ApiResponse>;

/** A filter: runs before, after or instead of the rest of the chain. */
export type Filter = (next: Handler) => Handler;

/** Builds a chain whose filters run in the listed order. */
export function chain(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight((next, filter) => filter(next), handler);
}
