import type { ApiRequest, ApiResponse, ByteStream, Exchange } from '@coracle/apimachinery';
import type { Clock } from '@coracle/base';
import { isStreaming, retrying, type Transport } from '@coracle/client';
import { webClock } from './web-clock.js';
import { type WebSocketConstructor, webSocketConnect } from './web-socket-connect.js';

/** Which server, and how one presents oneself to it. */
export interface FetchTransportOptions {
  /** `https://cluster.example.org:6443`, possibly with a path. The page's own origin by default. */
  readonly server?: string;
  /** Asked before each request, so that it may be renewed. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>);
  /** Headers for each request, such as `traceparent`. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** Whether cookies are sent: `include` if a proxy in front of the server requires them. */
  readonly credentials?: 'omit' | 'same-origin' | 'include';
  readonly clock?: Clock;
  /** Maximum number of retries on `Retry-After`. */
  readonly maxRetries?: number;
  /** The platform's own unless stated. */
  readonly fetch?: typeof fetch;
  readonly WebSocket?: WebSocketConstructor;
}

/** Carries requests over `fetch`, and streams over `WebSocket` where there is one. It needs no closing. */
export function createFetchTransport(options: FetchTransportOptions = {}): Transport {
  const { clock = webClock, maxRetries } = options;
  const server = (options.server ?? originOfPage()).replace(/\/$/, '');
  const token = async () => (typeof options.token === 'function' ? options.token() : options.token);
  const { WebSocket = (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket } = options;
  return {
    exchange: retrying(sending(server, { ...options, token }), {
      clock,
      ...(maxRetries !== undefined && { maxRetries }),
    }),
    ...(WebSocket && { connect: webSocketConnect({ server, WebSocket, token }) }),
  };
}

function originOfPage(): string {
  const { location } = globalThis as { location?: { readonly origin: string } };
  if (!location) throw new Error('no page defines the server: set the option server');
  return location.origin;
}

type Sending = Omit<FetchTransportOptions, 'token'> & { readonly token: () => Promise<string | undefined> };

function sending(server: string, { token, headers, credentials, fetch: send = fetch }: Sending): Exchange {
  return async (request) => {
    const { method, path, query, body, signal } = request;
    const shown = await token();
    const response = await send(`${server}${path}${query ? `?${query}` : ''}`, {
      method,
      headers: {
        ...headers?.(),
        ...sendable(request),
        ...(shown && { authorization: `Bearer ${shown}` }),
      },
      // The body was created for this request: nothing else shares its memory.
      ...(body?.kind === 'bytes' && { body: body.bytes as Uint8Array<ArrayBuffer> }),
      ...(credentials && { credentials }),
      ...(signal && { signal }),
    });
    return answerOf(response, request);
  };
}

/** Without a `User-Agent` header: browsers would send a CORS preflight request for it. */
function sendable({ headers: { 'user-agent': _, ...headers } }: ApiRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

async function answerOf(response: Response, request: ApiRequest): Promise<ApiResponse> {
  const { status } = response;
  const headers: Record<string, string> = {};
  response.headers.forEach((value, name) => {
    headers[name] = value;
  });
  if (isStreaming(request) && status < 400 && response.body)
    return { status, headers, body: { kind: 'stream', stream: byteStreamOf(response.body) } };
  return { status, headers, body: { kind: 'bytes', chunks: [new Uint8Array(await response.arrayBuffer())] } };
}

/** A body as our stream. It is read as fast as it comes; a reader that is behind keeps it in memory. */
function byteStreamOf(body: ReadableStream<Uint8Array>): ByteStream {
  return {
    open(sink) {
      const reader = body.getReader();
      // Cancelling a stream that has broken fails with what broke it, which is no news.
      sink.onClose(() => void reader.cancel().catch(() => {}));
      void pump(reader, sink.write).then(() => sink.end(), sink.end);
    },
  };
}

async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  write: (chunk: Uint8Array) => boolean,
): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    write(value);
  }
}
