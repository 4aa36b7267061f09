import type { ApiRequest } from '@coracle/apimachinery';
import type { Clock, Millis } from '@coracle/base';
import type { AuditTrail } from './audit/audit-event.js';
import type { RequestContext, Upgrade } from './handler-chain.js';
import { parseRequestInfo } from './parse-request-info.js';
import type { RequestInfo } from './request-info.js';
import type { RequestTrace } from './request-trace.js';
import { anonymous, type UserInfo } from './user-info.js';

const nothingKnown = parseRequestInfo('GET', '/', new URLSearchParams());
const emptyQuery = new URLSearchParams();

/** Aborts requests when the server stops. One listener serves all of them, because one for each would cost more. */
export class OpenRequests {
  readonly end: AbortSignal;
  readonly #open = new Set<IncomingRequest>();

  constructor(end: AbortSignal) {
    this.end = end;
    end.addEventListener('abort', () => this.#cancelAll(), { once: true });
  }

  add(request: IncomingRequest): void {
    this.#open.add(request);
  }

  delete(request: IncomingRequest): void {
    this.#open.delete(request);
  }

  #cancelAll(): void {
    for (const request of [...this.#open]) request.cancel(this.end.reason);
  }
}

/** A request before the filters: it has only what the client sent. */
export class IncomingRequest implements RequestContext {
  readonly request: ApiRequest;
  readonly receivedAt: Millis;
  readonly query: URLSearchParams;
  readonly upgrade?: Upgrade;
  readonly warnings: string[] = [];
  info: RequestInfo = nothingKnown;
  user: UserInfo = anonymous;
  trace: RequestTrace | undefined = undefined;
  endsAt: Millis | undefined = undefined;
  auditId = '';
  audit: AuditTrail | undefined = undefined;
  responseHeaders: Readonly<Record<string, string>> | undefined = undefined;
  holdsEmpty = false;
  readonly #openRequests: OpenRequests;
  #aborter: AbortController | undefined;
  #reason: unknown;

  constructor(
    request: ApiRequest,
    {
      clock,
      openRequests,
      upgrade,
    }: { readonly clock: Clock; readonly openRequests: OpenRequests; readonly upgrade?: Upgrade },
  ) {
    this.request = request;
    this.receivedAt = clock.now();
    this.query = request.query === '' ? emptyQuery : new URLSearchParams(request.query);
    this.#openRequests = openRequests;
    if (upgrade) this.upgrade = upgrade;
  }

  /** Created on first use, which is rare: creating one costs more than a response from the cache. */
  get signal(): AbortSignal {
    if (this.#aborter) return this.#aborter.signal;
    this.#aborter = new AbortController();
    if (this.#reason !== undefined) this.#aborter.abort(this.#reason);
    this.#openRequests.add(this);
    for (const source of [this.request.signal, this.#openRequests.end]) if (source?.aborted) this.cancel(source.reason);
    const { signal } = this.request;
    signal?.addEventListener('abort', () => this.cancel(signal.reason), { once: true });
    return this.#aborter.signal;
  }

  /** Unregisters the signal: the server, which outlives its requests, must not keep it. */
  release(): void {
    this.#openRequests.delete(this);
  }

  cancel(reason: unknown): void {
    this.#reason ??= reason;
    this.#aborter?.abort(reason);
    this.release();
  }
}
