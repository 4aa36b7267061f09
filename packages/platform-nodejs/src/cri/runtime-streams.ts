import { spdyPrefix } from '@coracle/apimachinery';
import type { RuntimeStreams } from '@coracle/kubelet';
import { ConnectionAuth } from '../http-client/connection-auth.js';
import { spdyConnect } from '../spdy-connect.js';
import { systemClock } from '../system-clock.js';
import { webSocketConnect } from '../web-socket-connect.js';

/** Connects to the streaming server of a container runtime on this machine. */
export const runtimeStreams: RuntimeStreams = {
  commandsOverSpdy: true,
  async connect(address, protocols) {
    const url = new URL(address);
    const server = new URL(url.origin);
    const auth = await ConnectionAuth.open(
      { server: url.origin, namespace: '', credentials: {} },
      { clock: systemClock },
    );
    const spdy = protocols.filter((protocol) => protocol.startsWith(spdyPrefix));
    const connect = spdy.length > 0 ? spdyConnect({ server, auth }) : webSocketConnect({ server, auth });
    const query = url.search.slice(1);
    return connect({ path: url.pathname, query, headers: {}, protocols: spdy.length > 0 ? spdy : protocols });
  },
};
