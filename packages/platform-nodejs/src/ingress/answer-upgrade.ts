import { type ClientRequest, type IncomingMessage, STATUS_CODES, request as sendRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import { messageOf, randomInt } from '@coracle/base';
import { decide, type HeaderPair, respond } from '@coracle/ingress';
import { type Answering, type Arrival, headOf } from './answer-request.js';
import { type Forwarding, pathOf, usualTimeouts } from './forward-request.js';
import { pairsOf, requestFields, withoutHops } from './forwarded-headers.js';

type Upgrading = Answering & { readonly arrival: Arrival; readonly early: Buffer };

/**
 * Proxies a connection that is upgraded to another protocol, such as WebSocket: once the backend agrees, bytes are
 * copied both ways.
 */
export function answerUpgrade(request: IncomingMessage, socket: Duplex, upgrading: Upgrading): void {
  const { arrival, random, table, endpointsOf, onAnswered } = upgrading;
  socket.on('error', () => socket.destroy());
  const refuse = ({ status, headers, text }: ReturnType<typeof respond>) => {
    onAnswered(status);
    const length: HeaderPair = ['content-length', String(Buffer.byteLength(text))];
    socket.end(`${rawHead(status, [...headers, length, ['connection', 'close']])}${text}`);
  };
  const head = headOf(request, arrival);
  const decision = head ? decide(table(), head, random) : respond(400);
  if (!head || decision.kind === 'respond') {
    refuse(decision.kind === 'respond' ? decision : respond(400));
    return;
  }
  const endpoints = endpointsOf(decision.target);
  const endpoint = endpoints[randomInt(random, endpoints.length)];
  if (!endpoint) {
    refuse(respond(503));
    return;
  }
  const fields = requestFields(decision.head, { address: arrival.address, authority: head.authority });
  const upgrade = { connection: 'Upgrade', upgrade: String(request.headers.upgrade) };
  const outgoing = sendRequest({
    host: endpoint.address,
    port: endpoint.port,
    method: decision.head.method,
    path: pathOf(decision.head),
    headers: { ...fields, ...upgrade },
    setHost: false,
    agent: false,
    timeout: decision.timeouts.backendMs ?? usualTimeouts.backendMs,
  });
  outgoing.on('timeout', () => outgoing.destroy(new Error('the backend did not respond in time')));
  outgoing.on('error', (error) => {
    if (socket.writable) refuse(respond(502, messageOf(error)));
    else socket.destroy();
  });
  socket.on('close', () => outgoing.destroy());
  passAnswer(outgoing, socket, { decision, upgrading, protocol: upgrade.upgrade });
  outgoing.end();
}

interface Passing {
  readonly decision: Forwarding;
  readonly upgrading: Upgrading;
  readonly protocol: string;
}

function passAnswer(outgoing: ClientRequest, socket: Duplex, { decision, upgrading, protocol }: Passing): void {
  const { onAnswered, early } = upgrading;
  const headersOf = ({ rawHeaders }: IncomingMessage) => decision.responseHeaders(withoutHops(pairsOf(rawHeaders)));
  outgoing.on('upgrade', (response, backend: Duplex, begun: Buffer) => {
    onAnswered(101);
    const own: HeaderPair[] = [
      ['connection', 'Upgrade'],
      ['upgrade', response.headers.upgrade ?? protocol],
    ];
    socket.write(rawHead(101, [...headersOf(response), ...own]));
    join(socket, backend, { early, begun });
  });
  // The upgrade was refused: the response is passed to the client.
  outgoing.on('response', (response) => {
    const status = response.statusCode ?? 502;
    onAnswered(status);
    socket.write(rawHead(status, [...headersOf(response), ['connection', 'close']]));
    response.on('error', () => socket.destroy());
    response.pipe(socket);
  });
}

function join(
  client: Duplex,
  backend: Duplex,
  { early, begun }: { readonly early: Buffer; readonly begun: Buffer },
): void {
  if ('setTimeout' in backend && typeof backend.setTimeout === 'function') backend.setTimeout(0);
  if (begun.length > 0) client.write(begun);
  if (early.length > 0) backend.write(early);
  for (const [from, to] of [
    [client, backend],
    [backend, client],
  ] as const) {
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
    from.pipe(to);
  }
}

/** The parser has checked headers, and the schema of the CRD those of filters. */
function rawHead(status: number, headers: readonly HeaderPair[]): string {
  const lines = headers.map(([name, value]) => `${name}: ${value.replace(/[\r\n]/g, ' ')}`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n`;
}
