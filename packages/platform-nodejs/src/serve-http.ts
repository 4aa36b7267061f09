import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ApiRequest, asStatusError, type Exchange } from '@coracle/apimachinery';
import { Deadlines } from '@coracle/base';
import { clientGone } from './http/client-gone.js';
import { usualPatience } from './http/patience.js';
import { readBody, usualMaxBodyBytes } from './http/read-body.js';
import { abandonResponse, refuseWhileSending, sendResponse, sendStatus } from './http/send-response.js';
import { StreamGroup } from './http/stream-group.js';
import type { UpgradeRequest } from './http/upgrade-request.js';
import { systemClock } from './system-clock.js';

export interface ServeHttpOptions {
  /** Loopback by default. */
  readonly host?: string;
  /** 0 for a free port. */
  readonly port: number;
  /** Called with the port that it listens on. */
  readonly onListening?: (port: number) => void;
  /** One mebibyte by default. */
  readonly maxBodyBytes?: number;
  /** Handles upgrade requests, which are rejected without it. */
  readonly onUpgrade?: (upgrade: UpgradeRequest) => void;
}

/** Serves an exchange over plain HTTP, for endpoints without secrets: health and metrics. */
export function serveHttp({ host = '127.0.0.1', port, onListening, maxBodyBytes, onUpgrade }: ServeHttpOptions) {
  return async (exchange: Exchange): Promise<AsyncDisposable> => {
    const bodies = new Deadlines(systemClock, usualPatience.bodyMs);
    const serving: PlainServerContext = {
      exchange,
      streams: new StreamGroup(),
      bodies,
      maxBytes: maxBodyBytes ?? usualMaxBodyBytes,
    };
    const server = createServer((incoming, outgoing) => void answer(incoming, outgoing, serving));
    const upgraded = new Set<Duplex>();
    if (onUpgrade) server.on('upgrade', upgradeWith(onUpgrade, upgraded));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => resolve());
    });
    onListening?.((server.address() as AddressInfo).port);
    return { [Symbol.asyncDispose]: () => close(server, upgraded) };
  };
}

interface PlainServerContext {
  readonly exchange: Exchange;
  readonly streams: StreamGroup;
  readonly bodies: Deadlines;
  readonly maxBytes: number;
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse, serving: PlainServerContext): Promise<void> {
  const { exchange, streams, bodies, maxBytes } = serving;
  const gone = new AbortController();
  outgoing.on('close', () => {
    if (!outgoing.writableEnded) gone.abort();
  });
  outgoing.on('error', () => gone.abort());
  const head = headOf(incoming, gone.signal);
  try {
    const bytes = await readBody(incoming, { maxBytes, deadlines: bodies });
    const response = await exchange(bytes ? { ...head, body: { kind: 'bytes', bytes } } : head);
    if (gone.signal.aborted) abandonResponse(response);
    else sendResponse(outgoing, response, { request: head, streams });
  } catch (error) {
    if (gone.signal.aborted || error === clientGone) return;
    // The response has begun: the client sees that it is incomplete.
    if (outgoing.headersSent) outgoing.destroy();
    else if (incoming.complete) sendStatus(outgoing, asStatusError(error).status);
    else refuseWhileSending(incoming, outgoing, asStatusError(error).status);
  }
}

function headOf(incoming: IncomingMessage, signal: AbortSignal): ApiRequest {
  const url = incoming.url ?? '/';
  const question = url.indexOf('?');
  return {
    method: incoming.method ?? 'GET',
    path: question < 0 ? url : url.slice(0, question),
    query: question < 0 ? '' : url.slice(question + 1),
    headers: incoming.headers as Record<string, string | undefined>,
    signal,
  };
}

function upgradeWith(onUpgrade: (upgrade: UpgradeRequest) => void, upgraded: Set<Duplex>) {
  return (incoming: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const gone = new AbortController();
    upgraded.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      upgraded.delete(socket);
      gone.abort();
    });
    onUpgrade({ request: headOf(incoming, gone.signal), incoming, socket, head });
  };
}

/** Connections that were upgraded are no longer the server's own, but it waits for them. */
function close(server: Server, upgraded: ReadonlySet<Duplex>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
    for (const socket of upgraded) socket.destroy();
  });
}
