import type { ApiResponse, Channel, KubeObject, ResourceRef } from '@coracle/apimachinery';
import type { ResourceAccessors } from './resource-accessors.js';
import type { ResourceClient } from './resource-client.js';
import type { ConnectRequest } from './transport.js';

/** A client of the API server. */
export interface Client extends ResourceAccessors {
  /** `client.resource(refs.pods, 'default')`; without a namespace: all of them, or a cluster-wide resource. */
  resource<T extends KubeObject>(ref: ResourceRef<T>, namespace?: string): ResourceClient<T>;
  /** The same for metadata only: cheaper if labels, owners and names are sufficient. */
  metadata(ref: ResourceRef<KubeObject>, namespace?: string): ResourceClient<KubeObject>;
  /**
   * Requests any path with its query: discovery, health, metrics. Returns the decoded body of any response: an error
   * response is returned, not thrown.
   */
  raw(method: string, path: string, options?: RawOptions): Promise<RawResponse>;
  /** The same with an undecoded body, for streams: logs. */
  exchange(method: string, path: string, options?: RawOptions): Promise<ApiResponse>;
  /** Opens a two-way channel: exec, attach, port-forward. Fails on platforms without channels. */
  connect(request: Omit<ConnectRequest, 'headers' | 'peer'>): Promise<Channel>;
  /** The same client under another user agent, which is also its default field manager. */
  withUserAgent(userAgent: string): Client;
  /** The same client with dry-run writes. */
  withDryRun(): Client;
}

/** Options of a request with an explicit path. */
export interface RawOptions {
  readonly body?: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A response, possibly an error, with its decoded body. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
}
