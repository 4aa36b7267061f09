import type { ApiResponse, Channel, KubeObject, ResourceRef } from '@coracle/apimachinery';
import type { ResourceAccessors } from './resource-accessors.js';
import type { ResourceClient } from './resource-client.js';
import type { ConnectRequest } from './transport.js';

/** How a component talks to the API server. */
export interface Client extends ResourceAccessors {
  /** `client.resource(refs.pods, 'default')`; without a namespace: all of them, or a cluster-wide resource. */
  resource<T extends KubeObject>(ref: ResourceRef<T>, namespace?: string): ResourceClient<T>;
  /** The same with metadata alone: cheaper where labels, owners and names are all that is wanted. */
  metadata(ref: ResourceRef<KubeObject>, namespace?: string): ResourceClient<KubeObject>;
  /**
   * Any path, with its query, for what is no resource: discovery, health, metrics. Returns the decoded body of whatever
   * was answered: a failure is an answer too, and is not thrown.
   */
  raw(method: string, path: string, options?: RawOptions): Promise<RawResponse>;
  /** The same, with the body as it came, for bodies that go on: logs. */
  exchange(method: string, path: string, options?: RawOptions): Promise<ApiResponse>;
  /** Opens a two-way channel, for what is no request: exec, attach, port-forward. Fails where the platform has none. */
  connect(request: Omit<ConnectRequest, 'headers' | 'peer'>): Promise<Channel>;
  /** The same client under another user agent, which is also its default field manager. */
  withUserAgent(userAgent: string): Client;
  /** The same client with dry-run writes: the server does everything but store them. */
  withDryRun(): Client;
}

/** Options of a request with an explicit path. */
export interface RawOptions {
  readonly body?: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** An answer as it came, failures too, with its body decoded. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
}
