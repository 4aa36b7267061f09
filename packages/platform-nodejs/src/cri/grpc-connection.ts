import { type Codec, CriError, criErrorCodes } from '@coracle/cri';
import type { ClientUnaryCall, ServiceError } from '@grpc/grpc-js';
import { LazyGrpcClient } from '../load-grpc.js';

/** One RPC of a service: its path, and the names of its messages. */
export interface GrpcMethod {
  readonly path: string;
  readonly request: string;
  readonly response: string;
}

export interface GrpcConnectionOptions {
  /** `unix:///run/containerd/containerd.sock`, a path, or `tcp://host:port`. */
  readonly endpoint: string;
  readonly codec: Codec;
  /** Sent with each unary call. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A connection to a local gRPC server over its socket. It is opened on first use, and reopened after failures. */
export class GrpcConnection implements Disposable {
  readonly endpoint: string;
  readonly #codec: Codec;
  readonly #metadata: Readonly<Record<string, string>>;
  readonly #client: LazyGrpcClient;
  /** Calls in flight. */
  readonly #calls = new Set<ClientUnaryCall>();

  constructor({ endpoint, codec, metadata = {} }: GrpcConnectionOptions) {
    this.endpoint = endpoint;
    this.#codec = codec;
    this.#metadata = metadata;
    this.#client = new LazyGrpcClient(targetOf(endpoint), {
      'grpc.max_receive_message_length': 16 * 1024 * 1024,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 3_000,
      'grpc.use_local_subchannel_pool': 1,
      // Without this the client sends the socket path as the host name, which servers reject.
      'grpc.default_authority': 'localhost',
    });
  }

  /** Rejects with a `CriError`. There is no timeout unless stated. */
  async call<Answer>(method: GrpcMethod, request: object, timeoutMs?: number): Promise<Answer> {
    const { client, grpc } = await this.#client.get();
    const metadata = new grpc.Metadata();
    for (const [name, value] of Object.entries(this.#metadata)) metadata.set(name, value);
    return await new Promise((resolve, reject) => {
      const call = client.makeUnaryRequest(
        method.path,
        (value: object) => Buffer.from(this.#codec.encode(method.request, value)),
        (bytes: Buffer) => this.#codec.decode(method.response, bytes) as Answer,
        request,
        metadata,
        timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs },
        (error, answer) => {
          this.#calls.delete(call);
          if (error || answer === undefined) reject(criError(error, this.endpoint));
          else resolve(answer);
        },
      );
      this.#calls.add(call);
    });
  }

  /** Ends when the server ends it or `signal` aborts; throws a `CriError` when it breaks. */
  async *stream<Answer>(method: GrpcMethod, request: object, signal?: AbortSignal): AsyncGenerator<Answer> {
    const { client } = await this.#client.get();
    const stream = client.makeServerStreamRequest(
      method.path,
      (value: object) => Buffer.from(this.#codec.encode(method.request, value)),
      (bytes: Buffer) => this.#codec.decode(method.response, bytes) as Answer,
      request,
    );
    const cancel = () => stream.cancel();
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      for await (const answer of stream) yield answer as Answer;
    } catch (error) {
      if (!signal?.aborted) throw criError(error, this.endpoint);
    } finally {
      signal?.removeEventListener('abort', cancel);
      cancel();
    }
  }

  /** Calls in flight are cancelled: they may take minutes. */
  [Symbol.dispose](): void {
    for (const call of this.#calls) call.cancel();
    this.#client[Symbol.dispose]();
  }
}

/** The path of an endpoint that is a Unix domain socket; `undefined` for others. */
export function socketPathOf(endpoint: string): string | undefined {
  if (endpoint.startsWith('unix:')) return endpoint.slice('unix:'.length).replace(/^\/\//, '');
  return endpoint.startsWith('/') ? endpoint : undefined;
}

/** The endpoint of a kubelet in gRPC's format. */
function targetOf(endpoint: string): string {
  const path = socketPathOf(endpoint);
  return path === undefined ? endpoint.replace(/^(tcp|http):\/\//, '') : `unix:${path}`;
}

/** gRPC's code for errors without one. */
const unknown = 2;

function criError(error: unknown, endpoint: string): CriError {
  const { code = unknown, details = '', message = '' } = (error ?? {}) as Partial<ServiceError>;
  const name = criErrorCodes[code] ?? 'Unknown';
  if (name === 'Unavailable' && /No connection established|ECONNREFUSED|ENOENT/.test(details))
    return new CriError(name, `connection error: nothing answers at ${endpoint}`);
  return new CriError(name, details || message);
}
