import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type ApiRequest,
  type ApiResponse,
  acceptsValues,
  asStatusError,
  badRequest,
  type Exchange,
  type RequestBody,
  type Status,
  StatusError,
} from '@coracle/apimachinery';
import { Deadlines, type Logger } from '@coracle/base';
import { systemClock } from '../system-clock.js';
import { bufferWhilePaused } from './buffer-while-paused.js';
import { clientGone } from './client-gone.js';
import { EndOfTurn } from './end-of-turn.js';
import { type ExtraListener, listenAlso } from './extra-listener.js';
import { type Incoming, isHttp2, type Outgoing } from './messages.js';
import { OpenAnswers } from './open-answers.js';
import { PacedAnswers } from './paced-answers.js';
import { type Patience, usualPatience } from './patience.js';
import { peerOf } from './peer.js';
import { readBody, usualMaxBodyBytes } from './read-body.js';
import { refuseBadConnections } from './refuse-connection.js';
import { abandonResponse, refuseWhileSending, sendResponse, sendStatus, sendStatusLine } from './send-response.js';
import { type ServedTls, ShownCertificates } from './shown-certificates.js';
import { endSilentSessions } from './silent-sessions.js';
import { StreamGroup } from './stream-group.js';
import { type TlsSettings, tlsAgreement } from './tls-settings.js';
import type { UpgradeRequest } from './upgrade-request.js';

export interface HttpServerOptions {
  readonly exchange: Exchange;
  /** Handles a request to upgrade the connection (exec, attach, port-forward). */
  readonly onUpgrade?: (upgrade: UpgradeRequest) => void;
  readonly host: string;
  /** 0 for a free port. */
  readonly port: number;
  /** An additional address with the same port. If it cannot be used, a message is logged. */
  readonly also?: ExtraListener | undefined;
  readonly tls: ServedTls & { readonly settings?: TlsSettings };
  readonly maxBodyBytes?: number;
  /** Whether long responses are compressed for clients that accept it; true by default. */
  readonly compresses?: boolean;
  /** The timeouts of kube-apiserver by default. */
  readonly patience?: Patience;
  readonly logger: Logger;
}

export interface HttpServer extends AsyncDisposable {
  readonly port: number;
  /** Replaces certificates for new connections; open ones continue. */
  setCertificates(changed: Partial<ServedTls>): void;
}

/** Serves an exchange over HTTPS, with HTTP/1.1 or HTTP/2. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { patience = usualPatience } = options;
  const { settings, ...tls } = options.tls;
  const shown = new ShownCertificates(tls, tlsAgreement(settings));
  const server = createSecureServer({
    allowHTTP1: true,
    ...shown.options,
    // Client certificates are requested, not required: clients may authenticate with a token.
    requestCert: true,
    rejectUnauthorized: false,
    settings: { maxConcurrentStreams: 250, maxHeaderListSize: maxHeadBytes },
    maxHeaderListPairs: maxHeaders,
    handshakeTimeout: patience.headMs,
  });
  Object.assign(server, http1Limits(patience));
  shown.chooseByAddress(server);
  const answers = new OpenAnswers();
  const turn = new EndOfTurn();
  const serving: ServerContext = {
    options,
    answers,
    streams: new StreamGroup(),
    turn,
    large: new PacedAnswers(turn, () => performance.now()),
    bodies: new Deadlines(systemClock, patience.bodyMs),
  };
  server.on(
    'request',
    (request: Incoming, response: ServerResponse | Http2ServerResponse) =>
      void answer(request, response as Outgoing, serving),
  );
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    upgrade(request, socket, { head, options, answers }),
  );
  const connections = trackConnections(server);
  refuseBadConnections(server, { answers, sockets: connections.sockets });
  endSilentSessions(server, { answers, patience });
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  const extra = await openExtra(server, { ...options, port });
  return {
    port,
    setCertificates: (changed) => shown.change(server, changed),
    [Symbol.asyncDispose]: () => {
      extra?.[Symbol.dispose]();
      return close(server, connections, answers);
    },
  };
}

async function openExtra(
  server: Http2SecureServer,
  { also, port, logger }: HttpServerOptions,
): Promise<Disposable | undefined> {
  if (!also) return undefined;
  try {
    return await listenAlso(server, { ...also, port });
  } catch (error) {
    logger.error('could not listen on the extra address', { host: also.host, port, error });
    return undefined;
  }
}

/** Maximum size of the request line and the headers, as in kube-apiserver: selectors can be long. */
const maxHeadBytes = 1024 * 1024;

/** More headers than fit: their size is the limit. Node.js would silently drop those beyond its own limit. */
const maxHeaders = 100_000;

/** Options that a server of both versions accepts as properties only. */
function http1Limits({ headMs, idleMs }: Patience) {
  return {
    headersTimeout: headMs,
    connectionsCheckingInterval: headMs,
    keepAliveTimeout: idleMs,
    // The timeout of a body is measured where it is read, because a response can be sent there.
    requestTimeout: 0,
    maxHeaderSize: maxHeadBytes,
    maxHeadersCount: maxHeaders,
    requireHostHeader: true,
  };
}

interface ServerContext {
  readonly options: HttpServerOptions;
  readonly answers: OpenAnswers;
  readonly streams: StreamGroup;
  readonly turn: EndOfTurn;
  readonly large: PacedAnswers;
  /** Timeout of bodies. */
  readonly bodies: Deadlines;
}

async function answer(incoming: Incoming, outgoing: Outgoing, serving: ServerContext): Promise<void> {
  const { options, answers, streams, bodies } = serving;
  const gone = new LazyAbort();
  const session = isHttp2(incoming) ? incoming.stream.session : undefined;
  answers.begin(outgoing, session);
  outgoing.on('close', () => {
    answers.end(outgoing, session);
    // Not `writableFinished`: HTTP/2 also finishes the writing side of a stream that the client has reset.
    if (!outgoing.writableEnded) gone.abort();
  });
  outgoing.on('error', () => gone.abort());
  try {
    const request = new HttpRequest(incoming, gone);
    const bytes = await readBody(incoming, { maxBytes: options.maxBodyBytes ?? usualMaxBodyBytes, deadlines: bodies });
    if (bytes) request.body = { kind: 'bytes', bytes };
    const response = await options.exchange(request);
    await serving.turn.wait();
    if (gone.aborted) {
      abandonResponse(response);
      return;
    }
    if (response.body.kind === 'stream') answers.isStream(outgoing);
    sendResponse(outgoing, response, {
      request,
      streams,
      large: serving.large,
      compresses: options.compresses ?? true,
    });
    bufferWhilePaused(incoming, outgoing);
  } catch (error) {
    if (gone.aborted || error === clientGone) return;
    const statusError = asStatusError(error);
    if (statusError.status.code >= 500) options.logger.error('request failed at the edge', { error });
    // The response has begun: the client sees that it is incomplete.
    if (outgoing.headersSent) outgoing.destroy();
    else if (incoming.complete) sendStatus(outgoing, statusError.status);
    else refuseWhileSending(incoming, outgoing, statusError.status);
  }
}

function upgrade(
  incoming: IncomingMessage,
  socket: Duplex,
  { head, options, answers }: { head: Buffer; options: HttpServerOptions; answers: OpenAnswers },
): void {
  socket.on('error', () => socket.destroy());
  const gone = new LazyAbort();
  socket.on('close', () => gone.abort());
  const request = new HttpRequest(incoming, gone);
  const { onUpgrade, exchange } = options;
  const begin = () =>
    onUpgrade ? onUpgrade({ request, incoming, socket, head }) : void refuseUpgrade(request, socket, exchange);
  // An HTTP/1.1 connection may still be sending the previous response.
  if (answers.isAnswering(socket)) void answers.answered(socket).then(begin);
  else begin();
}

/** Nothing here can be upgraded: the response to the plain request has the reason. */
async function refuseUpgrade(request: ApiRequest, socket: Duplex, exchange: Exchange): Promise<void> {
  const { status } = await exchange({ ...request, headers: { ...request.headers, [acceptsValues]: '1' } }).then(
    ({ body }) => (isFailure(body) ? new StatusError(body.value) : badRequest('this server upgrades no connections')),
    asStatusError,
  );
  sendStatusLine(socket, status, request.method);
}

function isFailure(body: ApiResponse['body']): body is { readonly kind: 'value'; readonly value: Status } {
  return body.kind === 'value' && (body.value as Partial<Status>).status === 'Failure';
}

/** An incoming request: first its head, then its body. */
class HttpRequest implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly rawHeaders: readonly string[];
  readonly peer: ReturnType<typeof peerOf>;
  body?: RequestBody;
  readonly #gone: LazyAbort;

  constructor(incoming: Incoming, gone: LazyAbort) {
    const url = withoutOrigin(incoming.url ?? '/');
    const question = url.indexOf('?');
    this.method = incoming.method ?? 'GET';
    this.path = question < 0 ? url : url.slice(0, question);
    this.query = question < 0 ? '' : url.slice(question + 1);
    this.headers = headersOf(incoming);
    this.rawHeaders = incoming.rawHeaders;
    this.peer = peerOf(incoming.socket);
    this.#gone = gone;
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }
}

/** A client behind a proxy may include the server in the request line. */
function withoutOrigin(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '') || '/';
}

/** Only callers in this process may request unencoded values. */
function headersOf({ headers }: Incoming): Record<string, string | undefined> {
  if (headers[acceptsValues] !== undefined) delete headers[acceptsValues];
  return headers as Record<string, string | undefined>;
}

/**
 * An abort signal that is created on first use: few requests are aborted, and creating one costs more than a cached
 * GET.
 */
class LazyAbort {
  #controller: AbortController | undefined;
  #aborted = false;

  get aborted(): boolean {
    return this.#aborted;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort(clientGone);
    return this.#controller.signal;
  }

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort(clientGone);
  }
}

interface Connections {
  readonly sockets: Set<Socket>;
  readonly sessions: Set<ServerHttp2Session>;
}

/** Keep-alive delay of idle connections. */
const keepAliveMs = 60_000;

function trackConnections(server: Http2SecureServer): Connections {
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    // A client whose machine lost its connection sends nothing any more, not even FIN.
    socket.setKeepAlive(true, keepAliveMs);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  return { sockets, sessions };
}

function listen(server: Http2SecureServer, { host, port }: HttpServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, 1024, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Time for requests in flight to finish at shutdown. */
const longestEndMs = 2_000;
/** Time for written data to reach a client that does not read. */
const longestFlushMs = 200;

/**
 * Accepts no new connections, sends GOAWAY to clients, ends watches, and closes connections after the last responses.
 */
async function close(
  server: Http2SecureServer,
  { sockets, sessions }: Connections,
  answers: OpenAnswers,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const session of sessions) session.goaway();
  await answers.finish(longestEndMs);
  for (const session of sessions) session.close();
  for (const socket of sockets) socket.destroySoon();
  const cut = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, longestFlushMs);
  await closed;
  clearTimeout(cut);
}
