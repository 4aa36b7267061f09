import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiRequest, ApiResponse, ByteSink, Status } from '@coracle/apimachinery';
import { gzipCompressions } from './compressions.js';
import { JoinedChunks } from './joined-chunks.js';
import { type Incoming, isHttp2, type Outgoing } from './messages.js';
import { blockBytes, type PacedAnswers } from './paced-answers.js';
import type { StreamGroup } from './stream-group.js';

/** Responses longer than this are compressed for clients that accept it, as in kube-apiserver. */
const gzipFromBytes = 128 * 1024;

export interface Answered {
  readonly request: ApiRequest;
  /** The group of open streams. */
  readonly streams: StreamGroup;
  /** Sends large responses, several of which may be in progress. */
  readonly large?: PacedAnswers;
  readonly compresses?: boolean;
}

export function sendResponse(outgoing: Outgoing, response: ApiResponse, answered: Answered): void {
  const { request, streams, large, compresses = true } = answered;
  const { body, onSent } = response;
  if (onSent) {
    if (outgoing.destroyed) onSent();
    else outgoing.once('close', onSent);
  }
  switch (body.kind) {
    case 'empty':
      write(outgoing, response, 0);
      outgoing.end();
      return;
    case 'bytes':
      sendBytes(outgoing, {
        response,
        chunks: body.chunks,
        gzipped: compresses && takesGzip(request.headers['accept-encoding']),
        ...(large && { large }),
      });
      return;
    case 'stream':
      outgoing.writeHead(response.status, headersOf(response));
      outgoing.flushHeaders();
      body.stream.open(streams.sink(outgoing));
      return;
    default:
      throw new Error(`a ${body.kind} body cannot leave the process`);
  }
}

/** The target of a response whose client has disconnected. */
const closedSink: ByteSink = {
  write: () => false,
  end: () => undefined,
  onDrain: () => undefined,
  onClose: (listener) => queueMicrotask(listener),
};

/**
 * For a client that has disconnected: nothing is sent, and the producer of the response is notified. A closed HTTP/2
 * response would report nothing any more.
 */
export function abandonResponse({ body, onSent }: ApiResponse): void {
  onSent?.();
  if (body.kind === 'stream') body.stream.open(closedSink);
}

/** As kube-apiserver reads it: a client that weighs its encodings gets none, so that `gzip;q=0` is honoured too. */
function takesGzip(accepted: string | undefined): boolean {
  return accepted === 'gzip' || (accepted?.split(',').some((token) => token.trim() === 'gzip') ?? false);
}

export function sendStatus(outgoing: Outgoing, status: Status): void {
  const bytes = Buffer.from(`${JSON.stringify(status)}\n`);
  const retry = status.details?.retryAfterSeconds;
  const headers = { 'content-type': 'application/json', ...(retry && { 'retry-after': String(retry) }) };
  sendBytes(outgoing, {
    response: { status: status.code, headers, body: { kind: 'empty' } },
    chunks: [bytes],
    gzipped: false,
  });
}

/** Time for a rejected client to read the response. */
const lingerMs = 1_000;

/**
 * Rejects a request whose body is incomplete. No more of it is read, and the response is sent at once; the connection
 * or stream ends a little later, because closing it while the client still writes would discard the response.
 */
export function refuseWhileSending(incoming: Incoming, outgoing: Outgoing, status: Status): void {
  const bytes = Buffer.from(`${JSON.stringify(status)}\n`);
  const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
  incoming.pause();
  if (isHttp2(incoming)) {
    // An HTTP/2 client that has the whole response usually stops sending by itself.
    outgoing.writeHead(status.code, headers);
    outgoing.end(bytes);
    afterLinger(incoming, () => incoming.stream.close());
  } else {
    // Without a `Connection` header the client would wait until the rest of the body is sent.
    outgoing.writeHead(status.code, { ...headers, connection: 'close' });
    outgoing.write(bytes);
    afterLinger(incoming, () => outgoing.end());
  }
}

function afterLinger(incoming: Incoming, end: () => void): void {
  const timer = setTimeout(end, lingerMs);
  incoming.once('close', () => {
    clearTimeout(timer);
    end();
  });
}

/** The same on an upgraded connection. The answer to a HEAD has no body. */
export function sendStatusLine(socket: Duplex, status: Status, method?: string): void {
  const body = `${JSON.stringify(status)}\n`;
  const head = [
    `HTTP/1.1 ${status.code} ${STATUS_CODES[status.code] ?? ''}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${method === 'HEAD' ? '' : body}`);
}

interface BytesToSend {
  readonly response: ApiResponse;
  readonly chunks: readonly Uint8Array[];
  readonly gzipped: boolean;
  readonly large?: PacedAnswers;
}

function sendBytes(outgoing: Outgoing, { response, chunks, gzipped, large }: BytesToSend): void {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  if (gzipped && length > gzipFromBytes) {
    sendGzipped(outgoing, response, new JoinedChunks(chunks));
    return;
  }
  write(outgoing, response, length);
  // Head and body in one write.
  if (chunks.length === 1) outgoing.end(chunks[0]);
  else if (length <= blockBytes || !large) outgoing.end(Buffer.concat(chunks, length));
  else large.send(outgoing, new JoinedChunks(chunks));
}

/** Without a length, which is known only after compression. */
function sendGzipped(outgoing: Outgoing, response: ApiResponse, chunks: JoinedChunks): void {
  const vary = ['Accept-Encoding', response.headers['vary'] ?? []].flat().join(', ');
  const headers = { ...headersOf(response), 'content-encoding': 'gzip', vary };
  gzipCompressions.add({ outgoing, chunks, begin: () => outgoing.writeHead(response.status, headers) });
}

function write(outgoing: Outgoing, response: ApiResponse, length: number): void {
  outgoing.writeHead(response.status, { ...headersOf(response), 'content-length': length });
}

function headersOf({ headers }: ApiResponse): Record<string, string | string[]> {
  const { warning } = headers;
  if (warning === undefined) return headers as Record<string, string | string[]>;
  return { ...(headers as Record<string, string | string[]>), warning: [warning].flat().map(utf8Header) };
}

/** Node.js sends the letters of a header as bytes, and refuses those that are none. Warnings are UTF-8. */
function utf8Header(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
