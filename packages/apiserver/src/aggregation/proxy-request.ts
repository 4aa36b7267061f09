import { type ApiResponse, acceptsValues, serviceUnavailable } from '@coracle/apimachinery';
import type { RequestContext } from '../handler-chain.js';
import { DialError, type OutboundRequest } from '../outbound/dialer.js';
import type { Outbound } from '../outbound/outbound.js';
import type { UserInfo } from '../user-info.js';
import type { RemoteVersion } from './api-service-table.js';

/** Proxies a request to the server of a group version, as the user who sent it. */
export async function proxyRequest(
  outbound: Outbound,
  { destination, isAvailable }: RemoteVersion,
  context: RequestContext,
): Promise<ApiResponse> {
  if (!isAvailable) throw serviceUnavailable('service unavailable');
  const request = forwarded(context, destination.kind === 'service' && outbound.isRegistered(destination));
  try {
    return context.upgrade
      ? await upgrade(outbound, destination, { context, request })
      : answered(await outbound.request(destination, request));
  } catch (error) {
    if (error instanceof DialError) throw serviceUnavailable(`error trying to reach service: ${error.message}`);
    throw error;
  }
}

async function upgrade(
  outbound: Outbound,
  to: RemoteVersion['destination'],
  { context, request }: { readonly context: RequestContext; readonly request: OutboundRequest },
): Promise<ApiResponse> {
  const upgrade = context.upgrade as NonNullable<RequestContext['upgrade']>;
  const opened = await outbound.connect(to, request, upgrade.protocols);
  if ('status' in opened) return opened;
  upgrade.channel = opened;
  return { status: 101, headers: {}, body: { kind: 'empty' } };
}

/** Headers of this connection, or for this server only. */
const ownHeaders: ReadonlySet<string> = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'proxy-authorization',
  'sec-websocket-extensions',
  'sec-websocket-key',
  'sec-websocket-protocol',
  'sec-websocket-version',
  'te',
  'transfer-encoding',
  'upgrade',
]);
/** Headers that are not forwarded: impersonation headers, and the pseudo-headers of HTTP/2. */
const identityHeader = /^(?::|impersonate-|x-remote-)/;

/**
 * A server in this process may answer with a value if the client accepts values; a remote one must not get the marker.
 */
function forwarded({ request, user, signal }: RequestContext, isInProcess: boolean): OutboundRequest {
  const { method, path, query, headers, body } = request;
  const passed = Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !ownHeaders.has(name) && !identityHeader.test(name) && (isInProcess || name !== acceptsValues),
    ),
  );
  const type = body?.kind === 'value' && !passed['content-type'] ? { 'content-type': 'application/json' } : {};
  return {
    method,
    path,
    query,
    headers: { ...passed, ...type, ...userHeaders(user) },
    signal,
    ...(body && { body }),
  };
}

/** Request headers that carry the identity of the user to aggregated API servers. */
export function userHeaders({ name, uid, groups, extra = {} }: UserInfo): OutboundRequest['headers'] {
  return {
    'x-remote-user': name,
    ...(uid && { 'x-remote-uid': uid }),
    ...(groups.length > 0 && { 'x-remote-group': groups }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [`x-remote-extra-${encodeURIComponent(key.toLowerCase())}`, values]),
    ),
  };
}

/** Sends the body in the chunks in which it arrives. */
function answered({ status, headers, body }: ApiResponse): ApiResponse {
  const { 'content-length': _length, ...otherHeaders } = headers;
  return { status, headers: otherHeaders, body };
}
