import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, connect as connectSocket, type Server } from 'node:net';
import { Deadlines, Deferred } from '@coracle/base';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../system-clock.js';
import type { Incoming } from './messages.js';
import { readBody } from './read-body.js';

let server: Server;
/** The outcome for the body of each request: its length, or why there is none. */
let outcomes: Deferred<number | string>[];
let arrived: Deferred<void>;

async function start(make: (onRequest: (incoming: Incoming) => void) => Server, longestMs = 60_000): Promise<number> {
  const deadlines = new Deadlines(systemClock, longestMs);
  outcomes = [];
  arrived = new Deferred();
  server = make((incoming) => {
    const outcome = new Deferred<number | string>();
    outcomes.push(outcome);
    incoming.once('data', () => arrived.resolve());
    Promise.resolve(readBody(incoming, { maxBytes: 1024, deadlines })).then(
      (body) => outcome.resolve(body?.length ?? 0),
      (error: Error) => outcome.resolve(error.message),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

afterEach(() => new Promise((resolve) => server.close(resolve)));

interface Client {
  /** Sends the head of a request and the beginning of its body. */
  begin(port: number): { finish(): void; leave(): void };
}

const http1: Client = {
  begin(port) {
    const socket = connectSocket(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 8\r\n\r\n{"a"');
    return { finish: () => socket.end(': 1}'), leave: () => socket.destroy() };
  },
};

const http2: Client = {
  begin(port) {
    const session = connect(`http://127.0.0.1:${port}`);
    session.on('error', () => undefined);
    const stream = session.request({ ':method': 'POST', ':path': '/' }, { endStream: false });
    stream.on('error', () => undefined);
    stream.write('{"a"');
    return {
      finish: () => {
        stream.end(': 1}');
        session.close();
      },
      leave: () => session.destroy(),
    };
  },
};

const http2Reset: Client = {
  begin(port) {
    const session = connect(`http://127.0.0.1:${port}`);
    const stream = session.request({ ':method': 'POST', ':path': '/' }, { endStream: false });
    stream.on('error', () => undefined);
    stream.write('{"a"');
    const leave = () => {
      stream.destroy(new Error('no longer wanted'));
      session.close();
    };
    return { finish: leave, leave };
  },
};

const byHttp1 = (onRequest: (incoming: Incoming) => void) =>
  createServer((incoming, outgoing) => {
    onRequest(incoming);
    incoming.on('end', () => outgoing.end());
  });

const byHttp2 = (onRequest: (incoming: Incoming) => void) =>
  createHttp2Server((incoming, outgoing) => {
    onRequest(incoming);
    incoming.on('end', () => outgoing.end());
  });

describe.each([
  ['HTTP/1.1', byHttp1, http1],
  ['HTTP/2', byHttp2, http2],
  ['HTTP/2, by resetting the stream', byHttp2, http2Reset],
] as const)('a client that leaves in the middle of a body (%s)', (_name, make, client) => {
  test('rejects the read, and passes no partial body on', async () => {
    const port = await start(make);
    const request = client.begin(port);
    await arrived.promise;
    request.leave();
    expect(await outcomes[0]?.promise).toBe('the client has gone away');
  });
});

describe.each([
  ['HTTP/1.1', byHttp1, http1],
  ['HTTP/2', byHttp2, http2],
] as const)('a body (%s)', (_name, make, client) => {
  test('that comes in pieces is whole in the end', async () => {
    const port = await start(make);
    const request = client.begin(port);
    await arrived.promise;
    request.finish();
    expect(await outcomes[0]?.promise).toBe(8);
  });

  test('that never ends times out', async () => {
    const port = await start(make, 5);
    const request = client.begin(port);
    await arrived.promise;
    const outcome = await outcomes[0]?.promise;
    request.leave();
    expect(outcome).toBe('Timeout: request did not complete within the allotted timeout');
  });
});
