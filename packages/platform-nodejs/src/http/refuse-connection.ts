import type { Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { failure } from '@coracle/apimachinery';
import type { OpenAnswers } from './open-answers.js';
import { sendStatusLine } from './send-response.js';

/** Time for a client to read the error. */
const lingerMs = 3_000;

interface Refused {
  readonly answers: OpenAnswers;
  /** Every connection before TLS. */
  readonly sockets: ReadonlySet<Socket>;
}

/**
 * Closes connections that do not use HTTP over TLS, or violate it, with a response where one can be sent. The messages
 * are those of the HTTP server of kube-apiserver.
 */
export function refuseBadConnections(server: Http2SecureServer, { answers, sockets }: Refused): void {
  server.on('sessionError', () => undefined);
  server.on('tlsClientError', (error: NodeJS.ErrnoException, tls: Socket) => {
    if (error.code !== 'ERR_SSL_HTTP_REQUEST' || !tellToUseTls(tls, sockets)) tls.destroy();
  });
  const refused = new WeakSet<Socket>();
  server.on('clientError', (error: ParseError, socket: Socket) => {
    // Data that has arrived is still parsed and dropped: closing the connection now would discard the response.
    if (refused.has(socket)) return;
    refused.add(socket);
    // Bytes in the middle of a response would be read as a part of it.
    if (socket.writable && !answers.isAnswering(socket)) explain(error, socket);
    else socket.destroy();
  });
  server.on('connect', (_request: unknown, socket: Duplex) => sendStatusLine(socket, methodUnknown().status));
}

/** Rejected before the TLS handshake: the response is sent in plain text, and then the connection ends. */
function tellToUseTls(tls: Socket, sockets: ReadonlySet<Socket>): boolean {
  for (const socket of sockets) {
    if (socket.remotePort !== tls.remotePort || socket.remoteAddress !== tls.remoteAddress) continue;
    socket.end('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
    const timer = setTimeout(() => tls.destroy(), lingerMs);
    socket.once('finish', () => {
      clearTimeout(timer);
      tls.destroy();
    });
    return true;
  }
  return false;
}

interface ParseError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

/** A client that timed out or disconnected gets no response: it would not read it. */
function explain({ code, rawPacket }: ParseError, socket: Socket): void {
  if (code === 'HPE_HEADER_OVERFLOW') sendLine(socket, '431 Request Header Fields Too Large');
  else if (code === 'HPE_INVALID_METHOD' && isRequest(rawPacket)) sendStatusLine(socket, methodUnknown().status);
  else if (code?.startsWith('HPE_')) sendLine(socket, '400 Bad Request');
  else socket.destroy();
  // Not at once: closing a connection while its client still writes would discard the response.
  socket.pause();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}

/** The parser accepts known methods only; HTTP allows any token. */
function isRequest(packet: Buffer | undefined): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+ \/\S* HTTP\/1\.[01]\r\n/.test(packet?.toString('latin1', 0, 8192) ?? '');
}

function sendLine(socket: Socket, line: string): void {
  socket.end(`HTTP/1.1 ${line}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${line}`);
}

function methodUnknown() {
  return failure('MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}
