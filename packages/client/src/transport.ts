import type { Exchange } from '@coracle/apimachinery';

/** Carries requests to an API server: over HTTPS at the edge, or straight into the server in the same process. */
export interface Transport {
  readonly exchange: Exchange;
  /** Streams that outlive a response (exec, attach, port-forward); absent where the platform has none. */
  readonly connect?: Connect;
}

/** Opens a two-way channel to `path`; the sub-protocol is agreed on the way (`v5.channel.k8s.io`, …). */
export type Connect = (request: ConnectRequest) => Promise<Channel>;

export interface ConnectRequest {
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly protocols: readonly string[];
  readonly signal?: AbortSignal;
}

export interface Channel extends Disposable {
  readonly protocol: string;
  send(message: Uint8Array): void;
  onMessage(listener: (message: Uint8Array) => void): void;
  onClose(listener: (code: number, reason: string) => void): void;
}
