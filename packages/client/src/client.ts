import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import type { ResourceClient } from './resource-client.js';

/** How a component talks to the API server, and all that it knows of it. */
export interface Client {
  /** `client.resource(refs.pods, 'default')`; without a namespace: all of them, or a cluster-wide resource. */
  resource<T extends KubeObject>(ref: ResourceRef<T>, namespace?: string): ResourceClient<T>;
  /** Any path, for what is no resource: discovery, health, metrics. The decoded body. */
  raw(method: string, path: string, options?: RawOptions): Promise<RawResponse>;
  /** The same client under another user agent, which is also its default field manager. */
  withUserAgent(userAgent: string): Client;
}

export interface RawOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
}
