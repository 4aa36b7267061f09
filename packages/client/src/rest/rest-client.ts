import {
  type ApiRequest,
  type ApiResponse,
  acceptsValues,
  type Channel,
  type Exchange,
  type GroupVersionKind,
  type Peer,
  writeJson,
} from '@coracle/apimachinery';
import type { RawResponse } from '../client.js';
import type { WatchSink } from '../resource-client.js';
import type { ConnectRequest, Transport } from '../transport.js';
import type { ContentCodec } from './content-codec.js';
import { failureOfResponse } from './failure-of-response.js';
import { openWatch } from './open-watch.js';
import { readBody } from './read-body.js';
import { warningsOf } from './warnings.js';

/** One request, before its transport is known. */
export interface RestRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly body?: unknown;
  /** Content type of the body; JSON by default. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface RestClientOptions {
  readonly transport: Transport;
  readonly userAgent: string;
  readonly user?: NonNullable<Peer['user']>;
  /** Called with each `Warning` header, without its code and agent. */
  readonly onWarning?: (text: string) => void;
  readonly codec?: ContentCodec;
  /** Writes are dry runs. */
  readonly dryRun?: boolean;
}

/**
 * Sends requests over a transport and decodes the responses.
 *
 * With a `user` the server is in this process: bodies are values, responses are shared values, and nothing is
 * encoded. Without one, bodies are JSON bytes and the transport authenticates.
 */
export class RestClient {
  readonly #options: RestClientOptions;
  readonly #headers: Readonly<Record<string, string>>;
  /** Headers for a body of this type, which nearly all writes have. */
  readonly #headersByType = new Map<string, Readonly<Record<string, string>>>();

  constructor(options: RestClientOptions) {
    this.#options = options;
    this.#headers = {
      'user-agent': options.userAgent,
      accept: 'application/json',
      ...(options.user && { [acceptsValues]: 'true' }),
    };
  }

  get dryRun(): boolean {
    return this.#options.dryRun ?? false;
  }

  /** The codec for objects of this kind, unless they are passed as values. */
  codecFor(kind: GroupVersionKind): ContentCodec | undefined {
    const { codec, user } = this.#options;
    return !user && codec?.knows(kind) ? codec : undefined;
  }

  /** The decoded body. Throws the server's failure as a `StatusError`. */
  async send(request: RestRequest): Promise<unknown> {
    const answer = await this.sendRaw(request);
    if (answer.status >= 400) throw failureOfResponse(answer);
    return answer.body;
  }

  /** Returns any response, including error responses. */
  async sendRaw(request: RestRequest): Promise<RawResponse> {
    const response = await this.exchange(request);
    return { status: response.status, headers: response.headers, body: await readBody(response, this.#options.codec) };
  }

  /** The undecoded response, for streams. */
  async exchange(request: RestRequest): Promise<ApiResponse> {
    request.signal?.throwIfAborted();
    return this.#exchange(this.#encode(request));
  }

  watch<T>(request: RestRequest, sink: WatchSink<T>): Disposable {
    const { codec } = this.#options;
    return openWatch({ exchange: this.#exchange, request: this.#encode(request), codec }, sink);
  }

  async connect(request: Omit<ConnectRequest, 'headers' | 'peer'>): Promise<Channel> {
    const { transport, user, userAgent } = this.#options;
    if (!transport.connect) throw new Error('this transport cannot open streams');
    return transport.connect({ ...request, headers: { 'user-agent': userAgent }, ...(user && { peer: { user } }) });
  }

  with(options: Pick<RestClientOptions, 'userAgent'> | Pick<RestClientOptions, 'dryRun'>): RestClient {
    return new RestClient({ ...this.#options, ...options });
  }

  readonly #exchange: Exchange = async (request) => {
    const { transport, onWarning } = this.#options;
    const response = await transport.exchange(request);
    if (onWarning) for (const text of warningsOf(response.headers['warning'])) onWarning(text);
    return response;
  };

  #encode({ method, path, query = '', body, contentType, headers, signal }: RestRequest): ApiRequest {
    const { user } = this.#options;
    return {
      method,
      path,
      query,
      headers: this.#headersFor(body === undefined ? undefined : (contentType ?? 'application/json'), headers),
      ...(body !== undefined && {
        body: user ? { kind: 'value', value: body } : { kind: 'bytes', bytes: encodeBody(body) },
      }),
      ...(user && { peer: { user } }),
      ...(signal && { signal }),
    };
  }

  #headersFor(
    contentType: string | undefined,
    more: Readonly<Record<string, string>> | undefined,
  ): Readonly<Record<string, string>> {
    if (more !== undefined) return this.#makeHeaders(contentType, more);
    if (contentType === undefined) return this.#headers;
    let headers = this.#headersByType.get(contentType);
    if (!headers) {
      headers = this.#makeHeaders(contentType, {});
      this.#headersByType.set(contentType, headers);
    }
    return headers;
  }

  #makeHeaders(
    contentType: string | undefined,
    more: Readonly<Record<string, string>>,
  ): Readonly<Record<string, string>> {
    const { [acceptsValues]: values, ...own } = this.#headers;
    // Values are objects. For a caller that requests another form, such as a table, the response is encoded.
    const asksForm = more['accept'] !== undefined;
    return {
      ...own,
      ...(values !== undefined && !asksForm && { [acceptsValues]: values }),
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...more,
    };
  }
}

function encodeBody(body: unknown): Uint8Array {
  return body instanceof Uint8Array ? body : new TextEncoder().encode(writeJson(body));
}
