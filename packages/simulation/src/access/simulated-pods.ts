import type { Pod } from '@coracle/api';
import { type ApiResponse, failure, type StatusError, writeJson } from '@coracle/apimachinery';
import type { DialAddress, Dialer, OutboundRequest } from '@coracle/apiserver';
import { listens } from '../exec/simulated-port.js';
import type { PodServers } from '../network/pod-servers.js';
import { requestPort } from '../network/request-port.js';

/**
 * The servers at the addresses of simulated pods: the functions that run in them, or else, over plain HTTP, the page
 * that `kubectl port-forward` shows. Any other request, such as to a webhook, fails: nothing runs there.
 */
export function simulatedPods(podAt: (address: string) => Pod | undefined, servers: PodServers): Dialer {
  return {
    request: async (to, request) => {
      const pod = podAt(to.host);
      const handler = servers.get(pod?.metadata.uid, to.port);
      if (!pod || (!handler && (to.scheme === 'https' || !listens(pod, to.port)))) throw nothingThere(to);
      const webRequestToPod = webRequest(to, request);
      return apiResponse(await (handler ? handler(webRequestToPod, pod) : requestPort(webRequestToPod, pod, to.port)));
    },
    connect: async (to) => {
      throw nothingThere(to);
    },
  };
}

function webRequest({ scheme, host, port }: DialAddress, request: OutboundRequest): Request {
  const { method, path, query, body, signal } = request;
  const authority = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) headers.append(name, one);
  return new Request(`${scheme}://${authority}${path}${query && `?${query}`}`, {
    method,
    headers,
    ...(body && method !== 'GET' && method !== 'HEAD' && { body: bytesOf(body) }),
    ...(signal && { signal }),
  });
}

function bytesOf(body: NonNullable<OutboundRequest['body']>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(body.kind === 'bytes' ? body.bytes : new TextEncoder().encode(writeJson(body.value)));
}

async function apiResponse(response: Response): Promise<ApiResponse> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: { kind: 'bytes', chunks: [bytes] },
  };
}

function nothingThere({ host, port }: DialAddress): StatusError {
  const what = `${host}:${port}`;
  return failure(
    'MethodNotAllowed',
    `${what} is not available: nodes are simulated, and no process runs in their pods`,
  );
}
