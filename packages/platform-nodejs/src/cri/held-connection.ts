import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import { createConnection, type Socket } from 'node:net';
import { type Codec, CriError, criErrorCodes } from '@coracle/cri';
import type { GrpcMethod } from './grpc-connection.js';

/** Seconds for which the connection stays open after this process has died. */
const heldSeconds = 30;

/** Waits until its parent process has exited, and keeps descriptor 3 open for a while longer. */
const holder = `read -r _; exec sleep ${heldSeconds}`;

interface Session {
  readonly http2: ClientHttp2Session;
  readonly holder: ChildProcess;
}

export interface HeldConnectionOptions {
  /** The path of a Unix domain socket. */
  readonly path: string;
  readonly codec: Codec;
}

/**
 * A gRPC connection that briefly outlives this process: a small helper process has the same socket open. A server
 * cancels a call when its caller's connection closes. If containerd is cancelled during `StartContainer`, it may report
 * a container as failed although its command has run, so that it would run twice. Calls over this connection complete
 * even if this process is killed.
 */
export class HeldConnection implements Disposable {
  readonly #options: HeldConnectionOptions;
  #session: Promise<Session> | undefined;
  /** Calls in flight. */
  #calls = 0;
  #isStopped = false;

  constructor(options: HeldConnectionOptions) {
    this.#options = options;
  }

  /** Rejects with a `CriError`. A disposed connection is not opened again: nothing would close it. */
  async call<Answer>(method: GrpcMethod, request: object, timeoutMs: number): Promise<Answer> {
    const { http2 } = await this.#open();
    if (this.#isStopped) throw stopped();
    const stream = http2.request({
      ':method': 'POST',
      ':path': method.path,
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-timeout': `${timeoutMs}m`,
    });
    stream.end(framed(this.#options.codec.encode(method.request, request)));
    this.#calls++;
    try {
      return this.#options.codec.decode(method.response, await readAnswer(stream)) as Answer;
    } finally {
      this.#calls--;
    }
  }

  /** Calls in flight continue, as they do when this process is killed; they do not keep it alive. */
  [Symbol.dispose](): void {
    const session = this.#session;
    this.#isStopped = true;
    this.#session = undefined;
    session?.then(this.#calls > 0 ? leave : close, () => undefined);
  }

  async #open(): Promise<Session> {
    if (this.#isStopped) throw stopped();
    const opening = this.#session ?? this.#connect();
    this.#session = opening;
    return await opening;
  }

  #connect(): Promise<Session> {
    const forget = () => {
      if (this.#session === opening) this.#session = undefined;
    };
    const opening: Promise<Session> = openSession(this.#options.path, forget);
    opening.catch(forget);
    return opening;
  }
}

function stopped(): CriError {
  return new CriError('Canceled', 'the client was stopped');
}

async function openSession(path: string, onClosed: () => void): Promise<Session> {
  const socket = createConnection({ path });
  try {
    await once(socket, 'connect');
  } catch (error) {
    throw new CriError('Unavailable', `connection error: ${(error as Error).message}`);
  }
  const child = hold(socket);
  const http2 = connect('http://localhost', { createConnection: () => socket });
  http2.on('error', () => undefined);
  http2.once('close', () => {
    onClosed();
    child.kill('SIGKILL');
  });
  return { http2, holder: child };
}

/** In a separate session, so that a signal to this process's group does not end it. */
function hold(socket: Socket): ChildProcess {
  const child = spawn('sh', ['-c', holder], { stdio: ['pipe', 'ignore', 'ignore', socket], detached: true });
  child.on('error', () => undefined);
  child.stdin?.on('error', () => undefined);
  child.unref();
  // Node.js stops reading from a descriptor that it passes to a child.
  socket.resume();
  return child;
}

function close({ http2, holder: child }: Session): void {
  http2.destroy();
  child.kill('SIGKILL');
}

function leave({ http2 }: Session): void {
  http2.unref();
}

/** One message: a flag for compression, its length, its bytes. */
function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

async function readAnswer(stream: ClientHttp2Stream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let status: IncomingHttpHeaders = {};
  const note = (headers: IncomingHttpHeaders) => {
    if (headers['grpc-status'] !== undefined) status = headers;
  };
  stream.on('response', note);
  stream.on('trailers', note);
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  try {
    await once(stream, 'close');
  } catch (error) {
    throw new CriError('Unavailable', `connection error: ${(error as Error).message}`);
  }
  const code = Number(status['grpc-status'] ?? Number.NaN);
  if (code === 0) return Buffer.concat(chunks).subarray(5);
  if (Number.isNaN(code)) throw new CriError('Unavailable', 'connection error: closed before the answer');
  throw new CriError(criErrorCodes[code] ?? 'Unknown', decodeURIComponent(String(status['grpc-message'] ?? '')));
}
