import type { Readable } from 'node:stream';
import type { HeaderPair } from '@coracle/ingress';
import type { Endpoint } from '@coracle/proxy';
import type { HeaderFields } from './forwarded-headers.js';

export type Address = Pick<Endpoint, 'address' | 'port'>;

/** One request to one endpoint. */
export interface UpstreamRequest {
  readonly endpoint: Address;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly fields: HeaderFields;
  /** Called once connected; `undefined` for a request without a body. */
  readonly body: Readable | undefined;
  readonly connectMs: number;
  readonly signal: AbortSignal;
}

export interface UpstreamResponse {
  readonly status: number;
  readonly headers: readonly HeaderPair[];
  readonly body: Readable;
  /** Available when the body has ended. */
  trailers(): readonly HeaderPair[];
}

/** Sends a request to an endpoint. Fails with an `UpstreamError`. */
export type SendToUpstream = (request: UpstreamRequest) => Promise<UpstreamResponse>;

/** An endpoint did not respond. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  /** Whether the request cannot have had effects, so that another endpoint may be tried. */
  readonly untouched: boolean;

  constructor(message: string, options: { readonly untouched: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.untouched = options.untouched;
  }
}
