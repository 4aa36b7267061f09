import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect as connectPlain } from 'node:net';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { serveTests } from './https-server.fixture.js';

const { server, pki } = await serveTests({
  exchange: async () => ({ status: 200, headers: {}, body: { kind: 'empty' } }),
  patience: { headMs: 100, bodyMs: 100, idleMs: 200, silenceMs: 50 },
});

/** All bytes until the server closes the connection. */
async function responseTo(socket: Socket, bytes: string | Buffer): Promise<string> {
  let output = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    output += chunk.toString('latin1');
  });
  socket.write(bytes);
  await new Promise((resolve) => socket.once('close', resolve));
  return output;
}

async function connect(protocol: string): Promise<TLSSocket> {
  const socket = tlsConnect({
    host: '127.0.0.1',
    port: server.port,
    ca: pki.ca.certificate,
    ALPNProtocols: [protocol],
  });
  await once(socket, 'secureConnect');
  return socket;
}

describe('a server ends connections whose clients', () => {
  test('do not complete the handshake', async () => {
    expect(await responseTo(connectPlain(server.port, '127.0.0.1'), Buffer.from([22, 3, 1]))).toBe('');
  });

  test('do not complete the head of a request', async () => {
    expect(await responseTo(await connect('http/1.1'), 'GET / HTTP/1.1\r\nHost: a\r\nX-')).toBe('');
  });

  test('do not complete a body, with a response', async () => {
    const response = await responseTo(
      await connect('http/1.1'),
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc',
    );
    expect(response).toMatch(/^HTTP\/1\.1 504 /);
    expect(response).toContain('request did not complete within the allotted timeout');
  });

  test('are idle for long', async () => {
    expect(await responseTo(await connect('http/1.1'), 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 200 /,
    );
  });

  test('use HTTP/2 and do not respond to pings', async () => {
    const opening = Buffer.concat([
      Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
    ]);
    const ping = '\0\0\x08\x06';
    expect(await responseTo(await connect('h2'), opening)).toContain(ping);
  });
});
