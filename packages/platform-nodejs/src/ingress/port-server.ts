import { createServer as createHttpServer, type Server as HttpServer, type IncomingMessage } from 'node:http';
import { createServer as createHttp2Server, type Http2Server, type Http2Session } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  createServer as createTlsServer,
  type SecureContext,
  type TLSSocket,
  type Server as TlsServer,
} from 'node:tls';
import { messageOf } from '@coracle/base';
import {
  type Answering,
  type AnyRequest,
  type AnyResponse,
  type Arrival,
  answerRequest,
  cutOff,
} from './answer-request.js';
import { answerUpgrade } from './answer-upgrade.js';

export interface PortServerOptions extends Answering {
  /** The port in routes. */
  readonly port: number;
  /** The actual listening port. */
  readonly listenPort: number;
  /** For TLS termination: the certificate for a server name, or for none. */
  readonly contextFor?: (serverName: string) => SecureContext;
}

/** Timeout until the first request of a connection. */
const firstBytesMs = 10_000;
const keepAliveMs = 75_000;
/** Timeout of requests in flight when a port is closed. */
const usualDrainMs = 30_000;

/** One port: HTTP/1.1 and HTTP/2, distinguished by ALPN, or without TLS by their first bytes. */
export class PortServer {
  readonly #options: PortServerOptions;
  readonly #http1: HttpServer;
  readonly #http2: Http2Server;
  readonly #listener: Server | TlsServer;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Map<Http2Session, Arrival>();
  readonly #arrivals = new WeakMap<object, Arrival>();
  /** Whose session is being made: that happens in the same turn. */
  #arriving: Arrival | undefined;
  #closing = false;

  constructor(options: PortServerOptions) {
    this.#options = options;
    this.#http1 = this.#makeHttp1();
    this.#http2 = this.#makeHttp2();
    const { contextFor } = options;
    this.#listener = contextFor ? this.#makeTls(contextFor) : createServer((socket) => this.#sniff(socket));
    this.#listener.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** Listens on all addresses of the machine, on those of IPv4 alone where there are no others. */
  async listen(): Promise<void> {
    try {
      await this.#listen('::');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAFNOSUPPORT') throw error;
      await this.#listen('0.0.0.0');
    }
    // Errors of single connections do not affect the port.
    this.#listener.on('error', () => undefined);
  }

  get listenPort(): number {
    const address = this.#listener.address();
    return typeof address === 'object' && address ? address.port : this.#options.listenPort;
  }

  /** Accepts no more connections, and ends existing ones when their requests have ended, or after the timeout. */
  async close(drainMs = usualDrainMs): Promise<void> {
    this.#closing = true;
    const closed = new Promise<void>((resolve) => this.#listener.close(() => resolve()));
    for (const session of this.#sessions.keys()) session.close();
    this.#http1.close(() => undefined);
    this.#http1.closeIdleConnections();
    const late = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, drainMs);
    await closed;
    clearTimeout(late);
  }

  #listen(host: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#listener.once('error', reject);
      this.#listener.listen(this.#options.listenPort, host, () => {
        this.#listener.off('error', reject);
        resolve();
      });
    });
  }

  /** A failure of one request ends that request only. */
  #answer(request: AnyRequest, response: AnyResponse, arrival: Arrival): void {
    answerRequest(request, response, { ...this.#options, arrival }).catch((error) => {
      this.#options.logger.error('failed to answer a request', { error: messageOf(error) });
      cutOff(response);
    });
  }

  #upgrade(
    request: IncomingMessage,
    socket: Duplex,
    more: { readonly arrival: Arrival; readonly early: Buffer },
  ): void {
    try {
      answerUpgrade(request, socket, { ...this.#options, ...more });
    } catch (error) {
      this.#options.logger.error('failed to answer a request', { error: messageOf(error) });
      socket.destroy();
    }
  }

  #makeHttp1(): HttpServer {
    const server = createHttpServer({ headersTimeout: firstBytesMs, requestTimeout: 0, keepAliveTimeout: keepAliveMs });
    // A client that has closed its sending side, like `printf … | nc`, still gets a response.
    Object.assign(server, { httpAllowHalfOpen: true });
    server.on('request', (request, response) => {
      if (this.#closing) response.setHeader('connection', 'close');
      response.once('close', () => this.#closing && setImmediate(() => server.closeIdleConnections()));
      const arrival = this.#arrivals.get(request.socket);
      if (arrival) this.#answer(request, response, arrival);
    });
    server.on('upgrade', (request, socket, early) => {
      const arrival = this.#arrivals.get(request.socket);
      if (arrival) this.#upgrade(request, socket, { arrival, early });
    });
    server.on('clientError', (_, socket) => {
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
      else socket.destroy();
    });
    // It receives connections and never listens itself; without this it would not check their timeouts.
    server.emit('listening');
    return server;
  }

  #makeHttp2(): Http2Server {
    const server = createHttp2Server({ settings: { maxConcurrentStreams: 250 } });
    server.on('session', (session) => {
      if (this.#arriving) this.#sessions.set(session, this.#arriving);
      session.once('close', () => this.#sessions.delete(session));
      session.on('error', () => undefined);
      session.setTimeout(keepAliveMs, () => session.close());
    });
    server.on('sessionError', () => undefined);
    server.on('request', (request, response) => {
      const { session } = request.stream;
      const arrival = session && this.#sessions.get(session);
      request.stream.on('error', () => undefined);
      if (arrival) this.#answer(request, response, arrival);
      else request.stream.close();
    });
    return server;
  }

  #makeTls(contextFor: (serverName: string) => SecureContext): TlsServer {
    const server = createTlsServer({
      ALPNProtocols: ['h2', 'http/1.1'],
      handshakeTimeout: firstBytesMs,
      minVersion: 'TLSv1.2',
      // Called for every client with a server name; others get the default certificate.
      SNICallback: (name, done) => done(null, contextFor(name)),
    });
    server.on('secureConnection', (socket) => this.#take(socket, socket.alpnProtocol === 'h2'));
    server.on('tlsClientError', () => undefined);
    return server;
  }

  /** Updates the default certificate; call it when certificates have changed. */
  setDefaultCertificate(pair: { readonly certificate: string; readonly key: string }): void {
    if ('setSecureContext' in this.#listener)
      this.#listener.setSecureContext({ cert: pair.certificate, key: pair.key });
  }

  #sniff(socket: Socket): void {
    socket.setTimeout(firstBytesMs, () => socket.destroy());
    socket.once('data', (chunk) => {
      socket.setTimeout(0);
      socket.pause();
      socket.unshift(chunk);
      // `PRI` is the beginning of the HTTP/2 preface, not a method.
      const http2 = chunk.toString('latin1', 0, 4) === 'PRI ';
      socket.allowHalfOpen = !http2;
      this.#take(socket, http2);
      // An HTTP/2 session reads unshifted data in the next turn.
      if (!http2) socket.resume();
    });
  }

  #take(socket: Socket | TLSSocket, http2: boolean): void {
    const serverName = 'servername' in socket && socket.servername ? String(socket.servername) : undefined;
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
    const arrival = { port: this.#options.port, tls: 'encrypted' in socket, serverName, address };
    this.#arrivals.set(socket, arrival);
    this.#arriving = arrival;
    (http2 ? this.#http2 : this.#http1).emit('connection', socket);
    this.#arriving = undefined;
  }
}
