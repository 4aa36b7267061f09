import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Readable } from 'node:stream';
import { type Logger, messageOf } from '@coracle/base';
import {
  type Decision,
  decide,
  type HeaderPair,
  type RequestHead,
  type RoutingTable,
  respond,
  splitTarget,
} from '@coracle/ingress';
import { type Forwarding, forwardRequest, type Upstreams } from './forward-request.js';
import { fieldsOf, pairsOf, withoutHops } from './forwarded-headers.js';
import type { UpstreamResponse } from './upstream.js';

export type AnyRequest = IncomingMessage | Http2ServerRequest;
export type AnyResponse = ServerResponse | Http2ServerResponse;

/** The connection of a request. */
export interface Arrival {
  readonly port: number;
  readonly tls: boolean;
  readonly serverName: string | undefined;
  readonly address: string;
}

export interface Answering extends Upstreams {
  readonly table: () => RoutingTable;
  readonly logger: Logger;
  /** Called with the status of every response. */
  readonly onAnswered: (status: number) => void;
}

/** The attributes for routing; `undefined` for an invalid request. */
export function headOf(request: AnyRequest, { port, tls, serverName }: Arrival): RequestHead | undefined {
  const target = splitTarget(request.url ?? '');
  const authority = authorityOf(request);
  if (!target || authority === undefined) return undefined;
  return {
    ...target,
    method: request.method ?? 'GET',
    scheme: tls ? 'https' : 'http',
    authority,
    headers: pairsOf(request.rawHeaders),
    port,
    ...(serverName !== undefined && { serverName }),
  };
}

/** A request target with a host takes precedence over the header. */
function authorityOf(request: AnyRequest): string | undefined {
  const [, named] = /^https?:\/\/([^/?#]*)/i.exec(request.url ?? '') ?? [];
  const { host, ':authority': authority } = request.headers as Record<string, string | undefined>;
  return named ?? authority ?? host;
}

/** Responds to one request: directly, or with the response of a backend. */
export async function answerRequest(
  request: AnyRequest,
  response: AnyResponse,
  { arrival, ...answering }: Answering & { readonly arrival: Arrival },
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  response.on('error', () => gone.abort());
  request.on('error', () => gone.abort());
  const exchange = { request, response, onAnswered: answering.onAnswered };
  const head = headOf(request, arrival);
  const decision = head ? decide(answering.table(), head, answering.random) : respond(400, notRoutable);
  if (!head || decision.kind === 'respond') {
    answerDirectly(exchange, decision.kind === 'respond' ? decision : respond(400));
    return;
  }
  const client = { address: arrival.address, authority: head.authority };
  mirror(decision, { client, signal: gone.signal }, answering);
  const { requestMs } = decision.timeouts;
  const whole = requestMs && setTimeout(() => timeOut(exchange, gone), requestMs);
  try {
    const body = hasBody(request) ? request : undefined;
    const outcome = await forwardRequest(decision, { client, body, signal: gone.signal }, answering);
    if (response.headersSent || gone.signal.aborted) return;
    if (outcome.kind === 'failure') answerDirectly(exchange, respond(outcome.status, outcome.reason));
    else await relay(outcome.response, exchange, decision);
  } catch (error) {
    answering.logger.debug('response aborted', { error: messageOf(error) });
    cutOff(response);
  } finally {
    if (whole) clearTimeout(whole);
  }
}

const notRoutable = 'this is not a request that can be routed';

interface ClientExchange {
  readonly request: AnyRequest;
  readonly response: AnyResponse;
  readonly onAnswered: (status: number) => void;
}

function timeOut(exchange: ClientExchange, gone: AbortController): void {
  if (exchange.response.headersSent) cutOff(exchange.response);
  else answerDirectly(exchange, respond(504, 'the request took longer than its route allows'));
  gone.abort();
}

function answerDirectly(
  { request, response, onAnswered }: ClientExchange,
  { status, text, headers }: Extract<Decision, { kind: 'respond' }>,
): void {
  onAnswered(status);
  const line = text ? `${text}\n` : '';
  writeHead(response, status, [...headers, ['content-length', String(Buffer.byteLength(line))]]);
  response.end(request.method === 'HEAD' ? '' : line);
  // The rest of the request is read and dropped, so that the client can read the response.
  request.resume();
}

/** Only requests without bodies are mirrored, because a body can be read once. */
function mirror(
  { mirrors, head }: Forwarding,
  {
    client,
    signal,
  }: { readonly client: { readonly address: string; readonly authority: string }; readonly signal: AbortSignal },
  upstreams: Upstreams,
): void {
  for (const target of mirrors) {
    const copy = {
      target,
      head: { ...head, headers: head.headers.filter(([name]) => !/^content-length$/i.test(name)) },
      timeouts: {},
    };
    forwardRequest(copy, { client, body: undefined, signal }, upstreams).then(
      (outcome) => outcome.kind === 'response' && outcome.response.body.on('error', () => undefined).resume(),
      () => undefined,
    );
  }
}

async function relay(
  upstream: UpstreamResponse,
  { response, onAnswered }: ClientExchange,
  decision: Forwarding,
): Promise<void> {
  onAnswered(upstream.status);
  writeHead(response, upstream.status, decision.responseHeaders(withoutHops(upstream.headers)));
  await copyBody(upstream.body, response);
  const trailers = withoutHops(upstream.trailers());
  if (trailers.length > 0) response.addTrailers(fieldsOf(trailers) as Record<string, string>);
  response.end();
}

function copyBody(body: Readable, response: AnyResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    body.once('end', resolve);
    body.once('error', reject);
    body.once('close', () => reject(new Error('the backend closed the connection before the end of its response')));
    response.once('close', () => {
      body.destroy();
      reject(new Error('the client is gone'));
    });
    body.pipe(response as NodeJS.WritableStream, { end: false });
  });
}

function writeHead(response: AnyResponse, status: number, headers: readonly HeaderPair[]): void {
  response.writeHead(status, fieldsOf(headers));
}

/** Ends an incomplete response; the client sees that it is incomplete. */
export function cutOff(response: AnyResponse): void {
  if (response instanceof Http2ServerResponse) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}

function hasBody(request: AnyRequest): boolean {
  if ('stream' in request) return !request.stream.endAfterHeaders;
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}
