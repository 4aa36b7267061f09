import type { ApiRequest, ApiResponse, Channel, Exchange, Peer } from '@coracle/apimachinery';

/** Sends requests to an API server: over HTTPS, or directly to a server in the same process. */
export interface Transport {
  readonly exchange: Exchange;
  /** Streams that outlive a response (exec, attach, port-forward); absent where the platform has none. */
  readonly connect?: Connect;
}

/** Opens a two-way channel to `path`; the subprotocol is negotiated (`v5.channel.k8s.io`, …). */
export type Connect = (request: ConnectRequest) => Promise<Channel>;

/** A request for a channel. */
export interface ConnectRequest {
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly protocols: readonly string[];
  /** WebSocket unless stated. With SPDY the channel carries the bytes of a SPDY connection. */
  readonly over?: 'SPDY/3.1';
  /** The user of an in-process caller. */
  readonly peer?: Peer;
  readonly signal?: AbortSignal;
}

/** The server, or a proxy in between, did not switch protocols. The cause is its response. */
export class UpgradeRefused extends Error {
  override readonly name = 'UpgradeRefused';
  override readonly cause: Error;
  /** The response itself, for callers that pass it on; absent if the response was not HTTP. */
  readonly answer: ApiResponse | undefined;

  constructor(cause: Error, answer?: ApiResponse) {
    super(cause.message);
    this.cause = cause;
    this.answer = answer;
  }
}

/** The interface of an API server in this process. */
export interface InProcessServer {
  readonly exchange: Exchange;
  connect(request: ApiRequest, protocols: readonly string[]): Promise<Channel>;
}

/** The server in this process as a transport. */
export function inProcessTransport(server: InProcessServer): Transport {
  return {
    exchange: server.exchange,
    connect: ({ protocols, over, ...request }) =>
      server.connect({ method: over ? 'POST' : 'GET', ...request }, protocols),
  };
}
