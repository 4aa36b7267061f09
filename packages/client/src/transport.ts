import type { ApiRequest, ApiResponse, Channel, Exchange, Peer } from '@coracle/apimachinery';

/** Carries requests to an API server: over HTTPS at the edge, or straight into the server in the same process. */
export interface Transport {
  readonly exchange: Exchange;
  /** Streams that outlive a response (exec, attach, port-forward); absent where the platform has none. */
  readonly connect?: Connect;
}

/** Opens a two-way channel to `path`; the sub-protocol is agreed on the way (`v5.channel.k8s.io`, …). */
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

/** The server, or a proxy on the way, did not switch to the protocol. The cause is what it said instead. */
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

/** What an API server in this process offers. */
export interface InProcessServer {
  readonly exchange: Exchange;
  connect(request: ApiRequest, protocols: readonly string[]): Promise<Channel>;
}

/** The server in this process as a transport: requests and channels go straight into it. */
export function inProcessTransport(server: InProcessServer): Transport {
  return {
    exchange: server.exchange,
    connect: ({ protocols, over, ...request }) =>
      server.connect({ method: over ? 'POST' : 'GET', ...request }, protocols),
  };
}
