import type { ApiRequest, ApiResponse, Channel, Exchange } from '@coracle/apimachinery';
import type { Clock, Logger, Metrics, Millis } from '@coracle/base';
import {
  type BackingOffOptions,
  backingOff,
  type Connection,
  type ConnectRequest,
  type DiscoveryFiles,
  isStreaming,
  type OidcSettings,
  RestClientMetrics,
  rateLimited,
  retrying,
  revalidating,
  type Transport,
} from '@coracle/client';
import { ConnectionAuth } from './http-client/connection-auth.js';
import { http1Exchange, type WireExchange, type WireOptions } from './http-client/http1-exchange.js';
import { proxyFor } from './http-client/proxy-environment.js';
import { isCutConnection } from './http-client/streaming.js';
import { systemClock } from './system-clock.js';
import type { WebSocketConnectOptions } from './web-socket-connect.js';

export interface HttpTransportOptions {
  readonly connection: Connection;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Metrics of requests: `rest_client_*`. None by default. */
  readonly metrics?: Metrics;
  /** Timeout of requests, except for watches and followed logs. None by default. */
  readonly timeoutMs?: Millis;
  /** Uses HTTP/2: one connection for all requests. Not through a proxy. */
  readonly http2?: boolean;
  /** Maximum number of retries on `Retry-After`. */
  readonly maxRetries?: number;
  /** Client-side rate limit. None by default: servers limit clients. */
  readonly rateLimit?: { readonly perSecond: number; readonly burst: number };
  /** Backs off from failing servers; see `backingOff`. Off by default, because servers send Retry-After. */
  readonly backoff?: Omit<BackingOffOptions, 'clock'>;
  /** Cache of API descriptions: `httpCacheFiles(server)`. None by default. */
  readonly responseFiles?: DiscoveryFiles;
  /** Headers for each request, such as `traceparent`. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** Called with new settings of `auth-provider: oidc`; by default they are written to their kubeconfig. */
  readonly onTokensRenewed?: (settings: OidcSettings) => Promise<void>;
}

/** Carries requests over HTTPS (or HTTP), and streams over WebSocket or SPDY. Disposing it closes its connections. */
export async function createHttpTransport(options: HttpTransportOptions): Promise<Transport & Disposable> {
  const { connection, clock = systemClock, maxRetries, onTokensRenewed } = options;
  const server = new URL(connection.server);
  const auth = await ConnectionAuth.open(connection, { clock, ...(onTokensRenewed && { onTokensRenewed }) });
  const proxy = proxyFor(server, connection.proxyUrl, process.env);
  const wire = { server, trust: auth.trust, proxy };
  const exchange = await (options.http2 && !proxy ? http2(wire) : http1Exchange(wire));
  const { metrics } = options;
  const measured = metrics && new RestClientMetrics({ metrics, clock, host: server.host });
  const attempt = within(options.timeoutMs, clock, sending({ exchange, auth, options }));
  const retried = retrying(measured ? measured.counting(attempt) : attempt, {
    clock,
    isCutConnection,
    ...(maxRetries !== undefined && { maxRetries }),
  });
  const sent = measured ? measured.timing(retried) : retried;
  return {
    exchange: asWished(sent, { ...options, clock }),
    connect: (request) => connectOver(request, { server, auth, proxy }),
    [Symbol.dispose]: () => exchange[Symbol.dispose](),
  };
}

/** Optional features of the transport. */
function asWished(exchange: Exchange, options: HttpTransportOptions & { readonly clock: Clock }): Exchange {
  const { clock, logger, rateLimit, backoff, responseFiles } = options;
  let current = exchange;
  if (backoff) current = backingOff(current, { ...backoff, clock });
  if (rateLimit) current = rateLimited(current, { ...rateLimit, clock, ...(logger && { logger }) });
  return responseFiles ? revalidating(current, responseFiles) : current;
}

// The rest is loaded on demand: loading it takes longer than the rest of the client.

async function connectOver(request: ConnectRequest, options: WebSocketConnectOptions): Promise<Channel> {
  const { spdyConnect, webSocketConnect } = await import('./stream-connect.js');
  return (request.over ? spdyConnect : webSocketConnect)(options)(request);
}

async function http2(wire: WireOptions): Promise<WireExchange> {
  const { http2Exchange } = await import('./http-client/http2-exchange.js');
  return http2Exchange(wire);
}

interface Sending {
  readonly exchange: WireExchange;
  readonly auth: ConnectionAuth;
  readonly options: HttpTransportOptions;
}

/** Sends credentials; if the server rejects them, retries once with new ones. */
function sending({ exchange, auth, options }: Sending): Exchange {
  const once = async (request: ApiRequest): Promise<{ response: ApiResponse; again: boolean }> => {
    const authorization = await auth.authorize();
    const headers = { ...headersOf(request, options), ...authorization.headers };
    const response = await exchange.send(request, authorization, headers);
    return { response, again: response.status === 401 && auth.rejected(authorization) };
  };
  return async (request) => {
    const { response, again } = await once(request);
    return again ? (await once(request)).response : response;
  };
}

function headersOf(request: ApiRequest, { connection, headers }: HttpTransportOptions): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...headers?.(), ...request.headers }))
    if (value !== undefined) all[name] = value;
  if (!connection.disableCompression && !isStreaming(request)) all['accept-encoding'] ??= 'gzip';
  if (request.body?.kind === 'bytes') all['content-length'] = String(request.body.bytes.length);
  return all;
}

function within(timeoutMs: Millis | undefined, clock: Clock, exchange: Exchange): Exchange {
  if (timeoutMs === undefined) return exchange;
  return async (request) => {
    if (isStreaming(request)) return exchange(request);
    const late = new AbortController();
    const timer = clock.schedule(timeoutMs, () => late.abort(new Error(`no answer within ${timeoutMs} ms`)));
    const signal = request.signal ? AbortSignal.any([request.signal, late.signal]) : late.signal;
    try {
      return await exchange({ ...request, signal });
    } finally {
      timer[Symbol.dispose]();
    }
  };
}
