import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ApiRequest, asStatusError, type Exchange } from '@coracle/apimachinery';
import { Deadlines } from '@coracle/base';
import { usualPatience } from './http/patience.js';
import { readBody } from './http/read-body.js';
import { sendResponse, sendStatus } from './http/send-response.js';
import { StreamGroup } from './http/stream-group.js';
import { systemClock } from './system-clock.js';

export interface ServeHttpOptions {
  /** This machine alone unless stated. */
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Told where it listens. */
  readonly onListening?: (port: number) => void;
}

const maxBodyBytes = 1024 * 1024;

/** Serves an exchange over plain HTTP, for what has no secrets: health and metrics. */
export function serveHttp({ host = '127.0.0.1', port, onListening }: ServeHttpOptions) {
  return async (exchange: Exchange): Promise<AsyncDisposable> => {
    const bodies = new Deadlines(systemClock, usualPatience.bodyMs);
    const serving = { exchange, streams: new StreamGroup(), bodies };
    const server = createServer((incoming, outgoing) => void answer(incoming, outgoing, serving));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => resolve());
    });
    onListening?.((server.address() as AddressInfo).port);
    return { [Symbol.asyncDispose]: () => close(server) };
  };
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  {
    exchange,
    streams,
    bodies,
  }: { readonly exchange: Exchange; readonly streams: StreamGroup; readonly bodies: Deadlines },
): Promise<void> {
  const url = incoming.url ?? '/';
  const question = url.indexOf('?');
  const head: ApiRequest = {
    method: incoming.method ?? 'GET',
    path: question < 0 ? url : url.slice(0, question),
    query: question < 0 ? '' : url.slice(question + 1),
    headers: incoming.headers as Record<string, string | undefined>,
  };
  try {
    const bytes = await readBody(incoming, { maxBytes: maxBodyBytes, deadlines: bodies });
    const response = await exchange(bytes ? { ...head, body: { kind: 'bytes', bytes } } : head);
    sendResponse(outgoing, response, { request: head, streams });
  } catch (error) {
    sendStatus(outgoing, asStatusError(error).status);
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
