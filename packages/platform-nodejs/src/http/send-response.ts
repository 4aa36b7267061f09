import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { gzip } from 'node:zlib';
import type { ApiRequest, ApiResponse, ByteSink, Status } from '@coracle/apimachinery';
import type { Incoming, Outgoing } from './messages.js';

/** Answers at least this long are compressed for clients that take it, as kube-apiserver does. */
const gzipFromBytes = 128 * 1024;
/** Small buffers are joined into blocks of this size: each write costs a TLS record and a system call. */
const blockBytes = 256 * 1024;

export function sendResponse(outgoing: Outgoing, response: ApiResponse, request: ApiRequest): void {
  const { body } = response;
  switch (body.kind) {
    case 'empty':
      write(outgoing, response, 0);
      outgoing.end();
      return;
    case 'bytes':
      sendBytes(outgoing, {
        response,
        chunks: body.chunks,
        gzipped: request.headers['accept-encoding']?.includes('gzip') ?? false,
      });
      return;
    case 'stream':
      outgoing.writeHead(response.status, headersOf(response));
      outgoing.flushHeaders();
      body.stream.open(new TickSink(outgoing));
      return;
    default:
      throw new Error(`a ${body.kind} body cannot leave the process`);
  }
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

/** How long a refused client has to read the answer. */
const lingerMs = 1_000;

/**
 * Refuses a request whose body has not all come. No more of it is read, and the answer goes out at once; the
 * connection ends a little later, because closing it under a client that is still writing would take the answer from it.
 */
export function refuseWhileSending(incoming: Incoming, outgoing: Outgoing, status: Status): void {
  const bytes = Buffer.from(`${JSON.stringify(status)}\n`);
  outgoing.writeHead(status.code, { 'content-type': 'application/json', 'content-length': bytes.length });
  outgoing.write(bytes);
  const end = () => {
    clearTimeout(timer);
    outgoing.end();
  };
  const timer = setTimeout(end, lingerMs);
  incoming.once('close', end);
  incoming.pause();
}

/** The same on a connection that HTTP has let go of. */
export function sendStatusLine(socket: Duplex, status: Status): void {
  const body = `${JSON.stringify(status)}\n`;
  const head = [
    `HTTP/1.1 ${status.code} ${STATUS_CODES[status.code] ?? ''}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

interface BytesToSend {
  readonly response: ApiResponse;
  readonly chunks: readonly Uint8Array[];
  readonly gzipped: boolean;
}

function sendBytes(outgoing: Outgoing, { response, chunks, gzipped }: BytesToSend): void {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  if (gzipped && length >= gzipFromBytes) {
    sendGzipped(outgoing, response, Buffer.concat(chunks, length));
    return;
  }
  write(outgoing, response, length);
  if (chunks.length === 1) {
    outgoing.end(chunks[0]);
    return;
  }
  for (const block of joined(chunks, length)) outgoing.write(block);
  outgoing.end();
}

function sendGzipped(outgoing: Outgoing, response: ApiResponse, bytes: Uint8Array): void {
  gzip(bytes, { level: 1 }, (error, compressed) => {
    if (error) {
      outgoing.destroy(error);
      return;
    }
    const headers = { ...response.headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' };
    write(outgoing, { ...response, headers }, compressed.length);
    outgoing.end(compressed);
  });
}

function* joined(chunks: readonly Uint8Array[], length: number): Iterable<Uint8Array> {
  let remaining = length;
  let block = Buffer.allocUnsafe(Math.min(blockBytes, remaining));
  let used = 0;
  for (const chunk of chunks) {
    if (chunk.length >= blockBytes) {
      if (used > 0) yield block.subarray(0, used);
      yield chunk;
      remaining -= used + chunk.length;
      block = Buffer.allocUnsafe(Math.min(blockBytes, remaining));
      used = 0;
      continue;
    }
    if (used + chunk.length > block.length) {
      yield block.subarray(0, used);
      remaining -= used;
      block = Buffer.allocUnsafe(Math.min(blockBytes, remaining));
      used = 0;
    }
    block.set(chunk, used);
    used += chunk.length;
  }
  if (used > 0) yield block.subarray(0, used);
}

function write(outgoing: Outgoing, response: ApiResponse, length: number): void {
  outgoing.writeHead(response.status, { ...headersOf(response), 'content-length': length });
}

function headersOf(response: ApiResponse): Record<string, string | string[]> {
  return response.headers as Record<string, string | string[]>;
}

/** While events keep coming, a stream is written to this often: each write costs a TLS record and a system call. */
const gatherMs = 4;

/** Gathers what is written within one turn of the event loop, or a few milliseconds, and sends it at once. */
class TickSink implements ByteSink {
  readonly #outgoing: Outgoing;
  #pending: Uint8Array[] = [];
  #ended = false;
  #closed = false;
  /** True from the moment the socket's buffer is full until it has drained. */
  #behind = false;
  #flushedAt = 0;

  constructor(outgoing: Outgoing) {
    this.#outgoing = outgoing;
    outgoing.once('close', () => {
      this.#closed = true;
    });
    outgoing.on('drain', () => {
      this.#behind = false;
    });
  }

  write(chunk: Uint8Array): boolean {
    if (this.#pending.push(chunk) === 1) this.#schedule();
    return !this.#behind;
  }

  end(): void {
    this.#ended = true;
    if (this.#pending.length === 0) this.#outgoing.end();
  }

  onDrain(listener: () => void): void {
    this.#outgoing.on('drain', listener);
  }

  onClose(listener: () => void): void {
    this.#outgoing.once('close', listener);
  }

  /** At once after a pause; in a stream of events, some milliseconds' worth of them together. */
  #schedule(): void {
    const waitMs = this.#flushedAt + gatherMs - performance.now();
    if (waitMs <= 0) setImmediate(this.#flush);
    else setTimeout(this.#flush, waitMs);
  }

  readonly #flush = () => {
    this.#flushedAt = performance.now();
    const chunks = this.#pending;
    this.#pending = [];
    if (this.#closed) return;
    this.#behind = !this.#outgoing.write(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    if (this.#ended) this.#outgoing.end();
  };
}
