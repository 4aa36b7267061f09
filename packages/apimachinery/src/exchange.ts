/**
 * Requests and responses as values, independent of sockets. The server is an `Exchange`, and so is the client's
 * transport: in one process the server is passed as the transport. Adapters convert HTTP messages to these values and
 * back.
 */
export type Exchange = (request: ApiRequest) => Promise<ApiResponse>;

export interface ApiRequest {
  readonly method: string;
  /** As sent, percent-encoded, without the query: `/api/v1/namespaces/default/pods`. */
  readonly path: string;
  /** As sent, without the question mark; empty if there is none. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Name, value, name, value, … as sent, for requests from a connection: `headers` joins repeated ones by commas. */
  readonly rawHeaders?: readonly string[];
  readonly body?: RequestBody;
  /** The identity that the transport has verified; never taken from the content of the request. */
  readonly peer?: Peer;
  /** Aborts when the client has disconnected. */
  readonly signal?: AbortSignal;
}

export type RequestBody =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** In process: the server copies it before it changes anything. */
  | { readonly kind: 'value'; readonly value: unknown };

export interface Peer {
  readonly address?: string;
  /** The identity in a client certificate that the edge has verified against the client CA. */
  readonly certificate?: CertificateIdentity;
  /** Why the client's certificate is not accepted. */
  readonly certificateProblem?: string;
  /** An in-process caller. Trusted as stated, because only code in this process can set it. */
  readonly user?: { readonly name: string; readonly uid?: string; readonly groups: readonly string[] };
}

export interface CertificateIdentity {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Attributes of the subject that name the user's uid; there should be one at most. */
  readonly uids?: readonly string[];
  /** Hex SHA-256 of the DER bytes, for `authentication.kubernetes.io/credential-id`. */
  readonly fingerprint?: string;
  /** The same of its issuers, up to the trusted CA. */
  readonly issuers?: readonly string[];
  /** When it ceases to be good, in milliseconds since the epoch. */
  readonly expiresAt?: number;
}

export interface ApiResponse {
  readonly status: number;
  /** Names in lower case; a list is sent as several headers. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: ResponseBody;
  /** Called once by the adapter that sends the response: it was sent completely, or the client has disconnected. */
  readonly onSent?: () => void;
}

export type ResponseBody =
  | { readonly kind: 'empty' }
  /** Sent one after the other. A list of objects is a concatenation of cached buffers. */
  | { readonly kind: 'bytes'; readonly chunks: readonly Uint8Array[] }
  /** Only to a request that sets `acceptsValues`: shared and frozen, never encoded. */
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'stream'; readonly stream: ByteStream }
  | { readonly kind: 'values'; readonly values: ValueStream };

/** The header by which an in-process client accepts shared values instead of bytes. */
export const acceptsValues = 'x-coracle-accepts-values';

/** A response that continues. Opened once; pushes until it ends or the sink closes. */
export interface ByteStream {
  open(sink: ByteSink): void;
}

export interface ByteSink {
  /** False when the receiver is behind: more may be written, but it is buffered in memory until `onDrain`. */
  write(chunk: Uint8Array): boolean;
  /** With an error, what was written is not all: the source broke off. */
  end(cut?: Error): void;
  /** Calls back each time the receiver has caught up. */
  onDrain(listener: () => void): void;
  /** Calls back once, when the receiver has disconnected or the stream has ended. */
  onClose(listener: () => void): void;
}

/** The same for watch events in process: the values of `WatchEvent`, frozen. */
export interface ValueStream {
  open(sink: ValueSink): void;
}

export interface ValueSink {
  write(event: unknown): void;
  end(): void;
  onClose(listener: () => void): void;
}
