import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ApiResponse, asStatusError } from '@coracle/apimachinery';
import type { ApiServer } from '@coracle/apiserver';
import { sendResponse, sendStatusLine } from './send-response.js';
import { acceptSpdy, offeredOverSpdy, spdyName } from './spdy-upgrade.js';
import { StreamGroup } from './stream-group.js';
import type { UpgradeRequest } from './upgrade-request.js';
import { acceptWebSocket, offeredOverWebSocket } from './web-socket-upgrade.js';

/** Serves the channels of an API server, over WebSocket and over SPDY. */
export function serveUpgrades(open: ApiServer['upgrade']): (upgrade: UpgradeRequest) => void {
  return (upgrade) => {
    void serveUpgrade(open, upgrade).catch((error: unknown) =>
      sendStatusLine(upgrade.socket, asStatusError(error).status, upgrade.incoming.method),
    );
  };
}

async function serveUpgrade(open: ApiServer['upgrade'], upgrade: UpgradeRequest): Promise<void> {
  const { request, incoming } = upgrade;
  const isSpdy = incoming.headers.upgrade?.toLowerCase() === spdyName.toLowerCase();
  const opened = await open(request, isSpdy ? offeredOverSpdy(incoming) : offeredOverWebSocket(incoming));
  if ('status' in opened) sendRefusal(upgrade, opened);
  else if (isSpdy) acceptSpdy(upgrade, opened);
  else await acceptWebSocket(upgrade, opened);
}

/** The upgrade was rejected: the response is plain HTTP, and the last on this connection. */
function sendRefusal({ request, incoming, socket }: UpgradeRequest, response: ApiResponse): void {
  const outgoing = new ServerResponse(incoming);
  outgoing.shouldKeepAlive = false;
  // The types require a socket, which every upgraded connection is.
  outgoing.assignSocket(socket as Socket);
  outgoing.on('finish', () => socket.end());
  sendResponse(outgoing, response, { request, streams: new StreamGroup() });
}
