import type { ApiResponse, Channel, RequestBody } from '@coracle/apimachinery';

/** An outgoing request. */
export interface OutboundRequest {
  readonly method: string;
  /** Percent-encoded, as for any `ApiRequest`. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** Names in lower case; a list is sent as several headers. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: RequestBody;
  readonly signal?: AbortSignal;
}

/** How the two sides of a TLS connection authenticate each other. All texts are PEM. */
export interface OutboundTls {
  /** CAs that verify the server's certificate; those of the system by default. */
  readonly caBundle?: string;
  readonly insecureSkipVerify?: boolean;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

/** The address that a connection is made to. */
export interface DialAddress {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** Server name in the certificate and in the `Host` header, if it is not `host`. */
  readonly serverName?: string;
  readonly tls?: OutboundTls;
}

/** The address of a URL. The port defaults to that of the scheme, and every scheme but `http:` is HTTPS. */
export function addressOfUrl({ protocol, hostname, port }: URL): DialAddress {
  const scheme = protocol === 'http:' ? 'http' : 'https';
  const host = hostname.replace(/^\[|\]$/g, '');
  return { scheme, host, port: Number(port) || (scheme === 'http' ? 80 : 443) };
}

/**
 * Opens connections: the platform-specific part of `Outbound`. Redirects are not followed. Network errors are
 * `DialError`s.
 */
export interface Dialer {
  /** The body of the answer is a stream; it ends early if the signal aborts. */
  request(to: DialAddress, request: OutboundRequest): Promise<ApiResponse>;
  /**
   * Opens a channel in one of these protocols, over WebSocket or SPDY; returns the response if the upgrade is rejected.
   */
  connect(to: DialAddress, request: OutboundRequest, protocols: readonly string[]): Promise<Channel | ApiResponse>;
}

/** A connection that could not be opened or broke. The message says which address refused and why. */
export class DialError extends Error {
  override readonly name = 'DialError';
}

/** The dialer of servers that open no connections. */
export const noNetwork: Dialer = {
  request: async (to) => {
    throw new DialError(`dial tcp ${addressText(to)}: this server has no network`);
  },
  connect: async (to) => {
    throw new DialError(`dial tcp ${addressText(to)}: this server has no network`);
  },
};

export function addressText({ host, port }: Pick<DialAddress, 'host' | 'port'>): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
