import type { Node } from '@coracle/api';
import type { ApiResponse, Channel, RequestBody } from '@coracle/apimachinery';

/** A request that is passed on. */
export interface ForwardedRequest {
  readonly method: string;
  /** Percent-encoded, as for any `ApiRequest`. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: RequestBody;
  readonly signal: AbortSignal;
}

/** Somewhere in the pod network. */
export interface ProxyTarget {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

/**
 * The server's way to nodes and pods. A kubelet is asked as kube-apiserver asks it: `/containerLogs/…`, `/exec/…`,
 * `/attach/…`, `/portForward/…`. What cannot be reached is a `StatusError`: `ServiceUnavailable` mostly.
 */
export interface NodeConnector {
  /** Asks the kubelet of a node. */
  request(node: Node, request: ForwardedRequest): Promise<ApiResponse>;
  /** Opens a channel to it, in one of these protocols; or gives what the kubelet answers instead. */
  connect(node: Node, request: ForwardedRequest, protocols: readonly string[]): Promise<Channel | ApiResponse>;
  /** Asks a process in a pod. */
  dial(target: ProxyTarget, request: ForwardedRequest): Promise<ApiResponse>;
}
