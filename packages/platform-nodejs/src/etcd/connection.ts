import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { type Clock, monotonicNow, sleep } from '@coracle/base';
import { StoreError } from '@coracle/store';
import {
  Client,
  type ClientDuplexStream,
  credentials as grpcCredentials,
  Metadata,
  type ServiceError,
  type VerifyOptions,
} from '@grpc/grpc-js';
import { isRetriable, refusalOf, unavailable, wasCarriedOutMaybe } from './errors.js';
import type { EtcdTls } from './etcd-tls.js';
import {
  type UnaryMethod,
  type WatchRequest,
  type WatchResponse,
  watchPath,
  watchRequest,
  watchResponse,
} from './messages.js';
import { decodeMessage, encodeMessage, type Message, type MessageTable } from './protobuf.js';

export interface ConnectionOptions {
  /** `http://host:port`, `https://host:port`, or `host:port`, which means https if there is `tls`. */
  readonly endpoints: readonly string[];
  readonly tls?: EtcdTls | undefined;
  readonly clock: Clock;
  /** Timeout of a call, including retries on other members. */
  readonly timeoutMs?: number | undefined;
}

export type WatchStream = ClientDuplexStream<WatchRequest, WatchResponse>;

/** Whether a call may be repeated after a failure that leaves open whether it was executed. */
export type AfterDoubt = 'retry' | 'fail';

/** Timeout of one attempt: two members can be tried within the time that a partitioned one takes to report it. */
const attemptTimeoutMs = 5_000;
const defaultTimeoutMs = 12_000;
/** Doubles with every consecutive failure. */
const firstPauseMs = 50;
const longestPauseMs = 1_000;
const noLimit = 64 * 1024 * 1024;

/** Calls to one of several members; if one does not respond, the next is tried. */
export class EtcdConnection implements Disposable {
  readonly #endpoints: readonly string[];
  readonly #clients: readonly Client[];
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #closed = new AbortController();
  /** Incremented when a member fails, which makes all users switch. */
  #turn = 0;

  constructor({ endpoints, tls, clock, timeoutMs = defaultTimeoutMs }: ConnectionOptions) {
    if (endpoints.length === 0) throw new TypeError('etcd needs at least one endpoint');
    this.#endpoints = endpoints;
    this.#clients = endpoints.map((endpoint) => connect(endpoint, tls));
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  get closed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** Fails with a StoreError: etcd's error, or `Unavailable`. */
  async call<Q extends MessageTable, A extends MessageTable>(
    method: UnaryMethod<Q, A>,
    request: Message<Q>,
    afterDoubt: AfterDoubt = 'retry',
  ): Promise<Message<A>> {
    const end = monotonicNow(this.#clock) + this.#timeoutMs;
    for (let failures = 0; ; failures++) {
      if (this.closed) throw new StoreError('Closed', 'the store is closed');
      const turn = this.#turn;
      try {
        return await this.#attempt(method, request);
      } catch (cause) {
        const error = cause as ServiceError;
        const refusal = refusalOf(error);
        if (refusal) throw refusal;
        this.#giveUp(turn);
        const hopeless = !isRetriable(error) || monotonicNow(this.#clock) >= end;
        if (hopeless || (afterDoubt === 'fail' && wasCarriedOutMaybe(error))) throw unavailable(error, this.#endpoints);
        await this.pause(failures);
      }
    }
  }

  /** A stream of watch messages from the current member. `abandon` lets the next stream use another one. */
  openWatch(): { readonly stream: WatchStream; abandon(): void } {
    const turn = this.#turn;
    const stream = this.#client().makeBidiStreamRequest(
      watchPath,
      (message: WatchRequest) => Buffer.from(encodeMessage(watchRequest, message)),
      (bytes: Buffer) => decodeMessage(watchResponse, bytes),
      withLeader(),
    );
    return { stream, abandon: () => this.#giveUp(turn) };
  }

  /**
   * Waits before another attempt, after this number of consecutive failures. Rejects when the connection is closed
   * meanwhile.
   */
  async pause(failures = 0): Promise<void> {
    try {
      await sleep(this.#clock, Math.min(firstPauseMs * 2 ** failures, longestPauseMs), this.#closed.signal);
    } catch {
      throw new StoreError('Closed', 'the store is closed');
    }
  }

  [Symbol.dispose](): void {
    this.#closed.abort();
    for (const client of this.#clients) client.close();
  }

  #client(): Client {
    return this.#clients[this.#turn % this.#clients.length]!;
  }

  /** Several calls may fail on one member; only the first switches to the next. */
  #giveUp(turn: number): void {
    if (this.#turn === turn) this.#turn++;
  }

  #attempt<Q extends MessageTable, A extends MessageTable>(
    { path, request: requestTable, response: responseTable }: UnaryMethod<Q, A>,
    request: Message<Q>,
  ): Promise<Message<A>> {
    const timeoutMs = Math.min(attemptTimeoutMs, this.#timeoutMs / Math.min(this.#endpoints.length, 3));
    return new Promise((resolve, reject) => {
      this.#client().makeUnaryRequest(
        path,
        (message: Message<Q>) => Buffer.from(encodeMessage(requestTable, message)),
        (bytes: Buffer) => decodeMessage(responseTable, bytes),
        request,
        withLeader(),
        { deadline: Date.now() + timeoutMs },
        (error, answer) => (error || !answer ? reject(error) : resolve(answer)),
      );
    });
  }
}

/** Requires a leader: a member that has lost its quorum fails at once instead of waiting. */
function withLeader(): Metadata {
  const metadata = new Metadata();
  metadata.set('hasleader', 'true');
  return metadata;
}

function connect(endpoint: string, tls: EtcdTls | undefined): Client {
  const secure = endpoint.startsWith('https://') || (tls !== undefined && !endpoint.startsWith('http://'));
  const address = endpoint.replace(/^https?:\/\//, '').replace(/\/$/, '');
  const host = hostOf(address);
  const isAddress = isIP(host) !== 0;
  const credentials = secure ? secureCredentials(tls, isAddress ? host : undefined) : grpcCredentials.createInsecure();
  return new Client(address, credentials, {
    ...(secure && isAddress && { 'grpc.ssl_target_name_override': nameOfAddress }),
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': noLimit,
    'grpc.keepalive_time_ms': 10_000,
    'grpc.keepalive_timeout_ms': 5_000,
    'grpc.keepalive_permit_without_calls': 0,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1_000,
    // A separate channel for each member: a shared one would hide which of them responds.
    'grpc.use_local_subchannel_pool': 1,
  });
}

/** `::1` of `[::1]:2379`. */
function hostOf(address: string): string {
  return address.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
}

/** Server name for TLS if the host is an IP address: SNI does not allow addresses, but the library sends them. */
const nameOfAddress = 'etcd';

/** The certificate must be valid for the IP address. */
function secureCredentials(tls: EtcdTls = {}, ip: string | undefined): ReturnType<typeof grpcCredentials.createSsl> {
  const { ca, certificate, key } = tls;
  const verify: VerifyOptions =
    ip === undefined
      ? {}
      : { checkServerIdentity: (_name, shown) => checkServerIdentity(ip, shown as PeerCertificate) };
  return grpcCredentials.createSsl(bufferOf(ca), bufferOf(key), bufferOf(certificate), verify);
}

function bufferOf(bytes: Uint8Array | undefined): Buffer | null {
  return bytes ? Buffer.from(bytes) : null;
}
