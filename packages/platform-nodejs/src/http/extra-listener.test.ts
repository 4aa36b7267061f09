import { connect, createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { listenAlso } from './extra-listener.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that responds with hello, at the first address of loopback; returns its port. */
async function startServer() {
  const server = createServer((socket) => socket.end('hello'));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as { port: number }).port };
}

function read(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, host);
    socket.on('data', (chunk) => (text += chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

test('a server is reached at the other address by peers that are accepted, until that is disposed', async () => {
  const { server, port } = await startServer();
  const seen: string[] = [];
  const accepts = (address: string) => seen.push(address) > 1;
  const extra = await listenAlso(server, { host: '127.0.0.2', port, accepts });
  expect(await read('127.0.0.2', port).catch(() => '')).toBe('');
  expect(await read('127.0.0.2', port)).toBe('hello');
  expect(seen).toEqual(['127.0.0.1', '127.0.0.1']);
  extra[Symbol.dispose]();
  await expect(read('127.0.0.2', port)).rejects.toThrow('ECONNREFUSED');
  expect(await read('127.0.0.1', port)).toBe('hello');
});

test('an address that is taken is an error', async () => {
  const { server, port } = await startServer();
  await expect(listenAlso(server, { host: '127.0.0.1', port, accepts: () => true })).rejects.toThrow('EADDRINUSE');
});
