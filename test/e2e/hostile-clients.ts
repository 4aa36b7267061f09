import type { Socket } from 'node:net';
import { configMaps } from './bad-requests.js';
import { endlessHead, frame, get, opening, takesNothing } from './http2-frames.js';
import { closed, type RawClient, readToEnd } from './raw-client.js';

/** Something that a client does to a server on a connection, until the server ends it. */
export interface Attack {
  readonly what: string;
  /** All output of the server, with bytes as Latin-1. */
  run(raw: RawClient, id: number): Promise<string>;
  /** A part of it. Empty where the connection may end without a word, or under a client that is still writing. */
  readonly answer: string;
}

const badRequest = 'HTTP/1.1 400 Bad Request\r\n';
const methodNotAllowed = 'does not allow this method on the requested resource';
/** The type of the frame that ends a connection, its flags and its stream. */
const goAway = '\x07\0\0\0\0\0';

/** The answer to an upgrade; after it the server ends the connection of a client that violates WebSocket. */
const switched = 'HTTP/1.1 101 Switching Protocols\r\n';

const post = `POST ${configMaps} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;

/** Data that is not HTTP over TLS, or invalid HTTP: rejected at once. */
export const attacks: readonly Attack[] = [
  { what: 'noise instead of HTTP', run: says('\0\u0001\u0002 not http at all\r\n\r\n'), answer: badRequest },
  { what: 'two lengths of one body', run: posts('Content-Length: 5\r\nContent-Length: 6'), answer: badRequest },
  {
    what: 'a length of what has none',
    run: posts('Content-Length: 5\r\nTransfer-Encoding: chunked'),
    answer: badRequest,
  },
  { what: 'an unknown version of HTTP', run: says('GET /version HTTP/3.7\r\nHost: a\r\n\r\n'), answer: badRequest },
  { what: 'a method of no standard', run: says('CONQUER /api HTTP/1.1\r\nHost: a\r\n\r\n'), answer: methodNotAllowed },
  { what: 'a wish for a tunnel', run: says('CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'), answer: methodNotAllowed },
  {
    what: 'headers of two megabytes',
    run: says(`GET /version HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(2 ** 21)}`),
    answer: 'HTTP/1.1 431 Request Header Fields Too Large\r\n',
  },
  {
    what: 'plain HTTP',
    run: saysBeforeTls('GET /version HTTP/1.1\r\nHost: a\r\n\r\n'),
    answer: 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n',
  },
  { what: 'noise before TLS', run: saysBeforeTls(Buffer.alloc(500, 7)), answer: '' },
  {
    what: 'a handshake that claims to be longer than it may be',
    run: saysBeforeTls(Buffer.concat([Buffer.from([22, 3, 1, 255, 255, 1]), Buffer.alloc(500)])),
    answer: '',
  },
  {
    what: 'HTTP/1.1 where HTTP/2 was agreed on',
    run: saysInHttp2(Buffer.from('GET / HTTP/1.1\r\n\r\n')),
    answer: goAway,
  },
  { what: 'noise instead of frames', run: saysInHttp2(opening(), Buffer.alloc(5_000, 'noise')), answer: goAway },
  { what: 'a head without end in HTTP/2', run: saysInHttp2(opening(), endlessHead(1, 200)), answer: '' },
  {
    what: 'a chunk with a line feed alone',
    run: says(`${post}Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n`),
    answer: '',
  },
  {
    what: 'a second transfer encoding',
    run: posts('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity'),
    answer: badRequest,
  },
  {
    what: 'a space before the colon of a length',
    run: posts('Content-Length : 5'),
    answer: badRequest,
  },
  {
    what: 'a header that goes on in the next line',
    run: says('GET /version HTTP/1.1\r\nHost: a\r\nX-Long: a\r\n b\r\n\r\n'),
    answer: badRequest,
  },
  { what: 'a WebSocket message without a mask', run: saysInWebSocket(Buffer.from([0x81, 1, 97])), answer: switched },
  { what: 'noise in WebSocket', run: saysInWebSocket(Buffer.alloc(500, 0xff)), answer: switched },
  {
    what: 'a WebSocket message that claims to have a terabyte',
    run: saysInWebSocket(Buffer.from([0x82, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 4])),
    answer: switched,
  },
  {
    what: 'a WebSocket message in parts without end',
    run: saysInWebSocket(part(2, false), ...Array<Buffer>(40).fill(part(0, false))),
    answer: switched,
  },
  { what: 'a WebSocket ping in parts', run: saysInWebSocket(part(9, false, 5)), answer: switched },
  {
    what: 'WebSocket pings whose answers are not read',
    run: saysInWebSocket(...Array<Buffer>(20_000).fill(part(9, true, 100)), part(8, true, 0)),
    answer: '',
  },
  {
    what: 'requests that are taken back at once, by the thousand',
    run: saysInHttp2(opening(), rapidResets(4_000)),
    answer: '',
  },
  {
    what: 'pings whose answers are not read',
    run: floods(Buffer.concat([opening(), ...Array(50_000).fill(frame('ping', { payload: Buffer.alloc(8) }))])),
    answer: '',
  },
  {
    what: 'settings whose answers are not read',
    run: floods(Buffer.concat([opening(), ...Array(50_000).fill(frame('settings'))])),
    answer: '',
  },
];

/** Idle connections, and those whose client has disappeared. */
export const idlers: Readonly<Record<string, (raw: RawClient) => Promise<Socket>>> = {
  'no handshake': (raw) => raw.connectPlain(),
  'half a handshake': async (raw) => written(await raw.connectPlain(), Buffer.from([22, 3, 1, 2, 0, 1])),
  'no request': (raw) => raw.connect(),
  'half a head': async (raw) => written(await raw.connect(), 'GET /version HTTP/1.1\r\nHost: a\r\nX-'),
  'half a body': async (raw) => written(await raw.connect(), `${post}Content-Length: 1000\r\n\r\n{"kind":`),
  'half a chunk': async (raw) => written(await raw.connect(), `${post}Transfer-Encoding: chunked\r\n\r\nfff\r\n{`),
  'no frames': (raw) => raw.connect('h2'),
  'half a head in HTTP/2': async (raw) =>
    written(await raw.connect('h2'), Buffer.concat([opening(), endlessHead(1, 1)])),
  'a watch that is not read': (raw) => raw.stuckWatch(configMaps),
  'watches that may send nothing': async (raw) =>
    written(
      await raw.connect('h2'),
      Buffer.concat([opening(takesNothing), ...streamIds(4).map((id) => get(`${configMaps}?watch=1`, id))]),
    ),
};

function says(text: string): Attack['run'] {
  return async (raw) => await readToEnd(written(await raw.connect(), text));
}

function posts(headers: string): Attack['run'] {
  return says(`${post}${headers}\r\n\r\nabcde`);
}

function saysBeforeTls(bytes: string | Buffer): Attack['run'] {
  return async (raw) => await readToEnd(written(await raw.connectPlain(), bytes));
}

function saysInHttp2(...frames: readonly Buffer[]): Attack['run'] {
  return async (raw) => await readToEnd(written(await raw.connect('h2'), Buffer.concat(frames)), goAway);
}

/** On a watch over WebSocket, once the server has agreed to it. */
function saysInWebSocket(...frames: readonly Buffer[]): Attack['run'] {
  return async (raw) => {
    const socket = await raw.connect();
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13';
    const key = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==';
    socket.write(`GET /api/v1/nodes?watch=1 HTTP/1.1\r\nHost: a\r\n${upgrade}\r\n${key}\r\n\r\n`);
    const response = readToEnd(socket);
    for (const frame of frames) if (!socket.destroyed) socket.write(frame);
    return await response;
  };
}

/** A frame of WebSocket with a mask of zeros, of a megabyte unless stated. */
function part(kind: number, isLast: boolean, length = 2 ** 20): Buffer {
  const long = length > 125;
  const head = Buffer.alloc(long ? 14 : 6);
  head[0] = (isLast ? 0x80 : 0) | kind;
  head[1] = 0x80 | (long ? 127 : length);
  if (long) head.writeUInt32BE(length, 6);
  return Buffer.concat([head, Buffer.alloc(length, 'x')]);
}

/** Writes and never reads, so that the response is unknown. */
function floods(bytes: Buffer): Attack['run'] {
  return async (raw) => {
    const socket = await raw.connect('h2');
    socket.pause();
    await Promise.race([closed(socket), new Promise((resolve) => socket.write(bytes, resolve))]);
    socket.destroy();
    return '';
  };
}

function written(socket: Socket, bytes: string | Buffer): Socket {
  socket.write(bytes);
  return socket;
}

function rapidResets(count: number): Buffer {
  const cancel = Buffer.from([0, 0, 0, 8]);
  return Buffer.concat(
    streamIds(count).flatMap((stream) => [get('/api/v1/nodes', stream), frame('reset', { stream, payload: cancel })]),
  );
}

function streamIds(count: number): number[] {
  return Array.from({ length: count }, (_, i) => 2 * i + 1);
}
