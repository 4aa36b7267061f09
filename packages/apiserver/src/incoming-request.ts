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

/** A request at the beginning of its way: nothing is known of it yet but what the client sent. */
export class IncomingRequest implements RequestContext {
  readonly request: ApiRequest;
  readonly receivedAt: Millis;
  readonly query: URLSearchParams;
  readonly upgrade?: Upgrade;
  readonly warnings: string[] = [];
  info: RequestInfo = nothingKnown;
  user: UserInfo = anonymous;
  trace: RequestTrace | undefined = undefined;
  auditId = '';
  audit: AuditTrail | undefined = undefined;
  responseHeaders: Readonly<Record<string, string>> | undefined = undefined;
  readonly #serverEnd: AbortSignal;
  #aborter: AbortController | undefined;
  /** Aborts when the signal no longer matters. */
  #over: AbortController | undefined;
  #reason: unknown;

  /** `serverEnd` aborts when the server does not want to serve any more. */
  constructor(
    request: ApiRequest,
    {
      clock,
      serverEnd,
      upgrade,
    }: { readonly clock: Clock; readonly serverEnd: AbortSignal; readonly upgrade?: Upgrade },
  ) {
    this.request = request;
    this.receivedAt = clock.now();
    this.query = request.query === '' ? emptyQuery : new URLSearchParams(request.query);
    this.#serverEnd = serverEnd;
    if (upgrade) this.upgrade = upgrade;
  }

  /** Made when somebody asks for it, which is rare: making one costs more than answering from the cache. */
  get signal(): AbortSignal {
    if (this.#aborter) return this.#aborter.signal;
    this.#aborter = new AbortController();
    this.#over = new AbortController();
    if (this.#reason !== undefined) this.#aborter.abort(this.#reason);
    for (const source of [this.request.signal, this.#serverEnd]) {
      if (!source) continue;
      if (source.aborted) this.cancel(source.reason);
      else
        source.addEventListener('abort', () => this.cancel(source.reason), { once: true, signal: this.#over.signal });
    }
    return this.#aborter.signal;
  }

  /** Nobody will look at the signal any more: the server, which outlives its requests, must not keep this one. */
  release(): void {
    this.#over?.abort();
  }

  cancel(reason: unknown): void {
    this.#reason ??= reason;
    this.#aborter?.abort(reason);
    this.release();
  }
}
