import { chmodSync, readlinkSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { type PluginHost, runPlugin } from '@coracle/cni';
import { formatPluginAnswer, parsePluginCall } from './plugin-call.js';

/**
 * Handles calls of the network plugin that its shim passes on, one after the other. Blocks the thread during calls, so
 * it needs a separate one. Resolves when it listens.
 */
export async function servePluginCalls(socket: string, host: PluginHost): Promise<Server> {
  const namespaces = ['mnt', 'net'].map((name) => readlinkSync(`/proc/self/ns/${name}`)).join(' ');
  const server = createServer({ allowHalfOpen: true }, (peer) => answer(peer, { namespaces, host }));
  rmSync(socket, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
  chmodSync(socket, 0o600);
  return server;
}

/** First the namespaces of the caller, which must be those of this process; then the call. */
function answer(peer: Socket, { namespaces, host }: { readonly namespaces: string; readonly host: PluginHost }): void {
  let text = '';
  let isGreeted = false;
  peer.setEncoding('utf8');
  peer.on('error', () => peer.destroy());
  peer.on('data', (chunk: string) => {
    text += chunk;
    if (isGreeted || !text.includes('\n')) return;
    if (text !== `${namespaces}\n`) {
      peer.destroy();
      return;
    }
    isGreeted = true;
    text = '';
    peer.write('+');
  });
  peer.on('end', () => {
    if (isGreeted) peer.end(formatPluginAnswer(runPlugin({ ...parsePluginCall(text), host })));
    else peer.destroy();
  });
}
