import type { Node } from '@coracle/api';
import type { ApiResponse, Channel } from '@coracle/apimachinery';
import type { OutboundRequest } from '../../../outbound/dialer.js';

/** A request that is forwarded to a kubelet. */
export interface ForwardedRequest extends Omit<OutboundRequest, 'headers'> {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/**
 * Connects the server to kubelets. Requests have the paths of the kubelet API: `/containerLogs/…`, `/exec/…`,
 * `/attach/…`, `/portForward/…`. An unreachable kubelet is a `StatusError`, mostly `ServiceUnavailable`.
 */
export interface NodeConnector {
  /** Sends a request to the kubelet of a node. */
  request(node: Node, request: ForwardedRequest): Promise<ApiResponse>;
  /** Opens a channel to the kubelet in one of these protocols; returns its response if it rejects. */
  connect(node: Node, request: ForwardedRequest, protocols: readonly string[]): Promise<Channel | ApiResponse>;
}
