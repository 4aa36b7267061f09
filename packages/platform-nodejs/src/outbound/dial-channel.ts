import { type ApiResponse, type Channel, spdyPrefix } from '@coracle/apimachinery';
import { addressText, type DialAddress, type OutboundRequest } from '@coracle/apiserver';
import { type ConnectRequest, UpgradeRefused } from '@coracle/client';
import { dialError } from './dial-error.js';
import { hostHeader } from './outgoing-headers.js';
import { tlsOptions } from './tls-options.js';

/** Opens a channel over SPDY if the protocols are of that, and over WebSocket otherwise. */
export async function dialChannel(
  to: DialAddress,
  { path, query, headers, signal }: OutboundRequest,
  protocols: readonly string[],
): Promise<Channel | ApiResponse> {
  const { spdyConnect, webSocketConnect } = await import('../stream-connect.js');
  const overSpdy = protocols.every((name) => name.startsWith(spdyPrefix));
  const connect = (overSpdy ? spdyConnect : webSocketConnect)({
    server: new URL(`${to.scheme}://${addressText(to)}`),
    auth: { trust: to.scheme === 'https' ? tlsOptions(to) : {}, authorize: async () => anonymous },
  });
  const request: ConnectRequest = {
    path,
    query,
    headers: { ...joinedHeaders(headers), host: hostHeader(to) },
    protocols,
    ...(signal && { signal }),
  };
  try {
    return await connect(request);
  } catch (error) {
    if (error instanceof UpgradeRefused) {
      if (error.answer) return error.answer;
      throw error.cause;
    }
    throw error instanceof Error && !signal?.aborted ? dialError(error, to) : error;
  }
}

/** Handshakes are sent with one header of a name. */
function joinedHeaders(headers: OutboundRequest['headers']): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'object' ? value.join(', ') : value]),
  );
}

const anonymous = { headers: {}, identity: {} } as const;
