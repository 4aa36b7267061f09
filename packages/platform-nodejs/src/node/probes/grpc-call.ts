import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';

export interface GrpcCall {
  /** `10.0.0.7:50051`. */
  readonly address: string;
  /** `/grpc.health.v1.Health/Check`. */
  readonly path: string;
  readonly message: Uint8Array;
  readonly userAgent: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type GrpcAnswer =
  | { readonly kind: 'message'; readonly bytes: Uint8Array }
  | { readonly kind: 'status'; readonly code: number; readonly details: string }
  /** There is no HTTP/2 server, or it did not respond in time. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** The server did not answer in time. */
  | { readonly kind: 'timeout' };

const codes = { internal: 13, unavailable: 14, unknown: 2 };
/** gRPC status codes for HTTP statuses. */
const codeOfStatus: Readonly<Record<number, number>> = {
  400: 13,
  401: 16,
  403: 7,
  404: 12,
  429: 14,
  502: 14,
  503: 14,
  504: 14,
};
/** A length follows a byte that says whether the message is compressed. */
const prefixBytes = 5;
const mostBytes = 64 * 1024;

/**
 * Calls a method without TLS, on a new connection that is closed in any state after the response, the timeout or the
 * signal. gRPC libraries leave a connection that is being established to the system.
 */
export async function callGrpc(call: GrpcCall): Promise<GrpcAnswer> {
  const { address, timeoutMs, signal } = call;
  const session = connect(`http://${address}`);
  try {
    return await new Promise<GrpcAnswer>((resolve) => {
      let isReady = false;
      const giveUp = () =>
        resolve(isReady ? { kind: 'timeout' } : { kind: 'unreachable', reason: 'context deadline exceeded' });
      const timer = setTimeout(giveUp, timeoutMs);
      session.once('close', () => clearTimeout(timer));
      session.once('remoteSettings', () => {
        isReady = true;
      });
      session.once('error', ({ message }) => resolve(failed(isReady, message)));
      session.once('close', () => resolve(failed(isReady, 'the connection was closed')));
      signal.addEventListener('abort', giveUp, { once: true });
      if (signal.aborted) giveUp();
      else void answerTo(send(session, call)).then(resolve);
    });
  } finally {
    session.destroy();
  }
}

function failed(isReady: boolean, reason: string): GrpcAnswer {
  return isReady ? status(codes.unavailable, reason) : { kind: 'unreachable', reason };
}

function status(code: number, details: string): GrpcAnswer {
  return { kind: 'status', code, details };
}

function send(session: ClientHttp2Session, { path, message, userAgent, timeoutMs }: GrpcCall): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    'user-agent': userAgent,
    'grpc-timeout': `${timeoutMs}m`,
    te: 'trailers',
  });
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32BE(message.length, 1);
  stream.end(Buffer.concat([prefix, message]));
  return stream;
}

/** Does not settle when the session fails: its error is more specific. */
function answerTo(stream: ClientHttp2Stream): Promise<GrpcAnswer> {
  let heads: IncomingHttpHeaders = {};
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    stream.on('response', (headers) => {
      heads = { ...heads, ...headers };
    });
    stream.on('trailers', (trailers) => {
      heads = { ...heads, ...trailers };
    });
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= mostBytes) chunks.push(chunk);
      else resolve(status(codes.internal, 'the message is too large'));
    });
    stream.on('end', () => {
      if (heads[':status'] !== undefined) resolve(read(heads, Buffer.concat(chunks)));
    });
    stream.on('error', () => undefined);
  });
}

function read(heads: IncomingHttpHeaders, body: Buffer): GrpcAnswer {
  const http = Number(heads[':status']);
  const code = heads['grpc-status'];
  if (code === undefined && http !== 200)
    return status(codeOfStatus[http] ?? codes.unknown, `unexpected HTTP status code received from server: ${http}`);
  if (code === undefined) return status(codes.internal, 'server closed the stream without sending trailers');
  if (code !== '0') return status(Number(code), decoded(String(heads['grpc-message'] ?? '')));
  const size = body.length < prefixBytes ? -1 : body.readUInt32BE(1);
  if (body[0] !== 0 || body.length !== prefixBytes + size) return status(codes.internal, 'the message cannot be read');
  return { kind: 'message', bytes: body.subarray(prefixBytes) };
}

/** Messages are percent-encoded; others are used unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
