import { type Channel, spdyPrefix } from '@coracle/apimachinery';
import type { Client } from '../client.js';
import { type ConnectRequest, UpgradeRefused } from '../transport.js';

/** Supported protocols, in order of preference. */
export interface StreamProtocols {
  readonly webSocket: readonly string[];
  /** SPDY subprotocols, without SPDY's own name. */
  readonly spdy: readonly string[];
}

export interface OpenedChannel {
  readonly channel: Channel;
  /** The channel carries the bytes of a SPDY connection. */
  readonly overSpdy: boolean;
}

/**
 * Opens a channel over WebSocket, or over SPDY if the server or a proxy does not support WebSocket: old servers do not,
 * and some require `create` for it. If both fail, the error is that of SPDY.
 */
export async function openChannel(
  client: Client,
  request: Pick<ConnectRequest, 'path' | 'query' | 'signal'>,
  { webSocket, spdy }: StreamProtocols,
): Promise<OpenedChannel> {
  try {
    const channel = await client.connect({ ...request, protocols: webSocket });
    return { channel, overSpdy: channel.protocol.startsWith(spdyPrefix) };
  } catch (error) {
    if (!(error instanceof UpgradeRefused)) throw error;
  }
  const protocols = spdy.map((name) => spdyPrefix + name);
  try {
    return { channel: await client.connect({ ...request, protocols, over: 'SPDY/3.1' }), overSpdy: true };
  } catch (error) {
    throw error instanceof UpgradeRefused ? error.cause : error;
  }
}
