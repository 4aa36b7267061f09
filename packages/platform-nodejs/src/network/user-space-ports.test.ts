import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { DisposableStack } from '@coracle/base';
import type { ForwardedPort } from '@coracle/proxy';
import { afterAll, describe, expect, test } from 'vitest';
import { userSpacePorts } from './user-space-ports.js';

describe('node ports in user space', () => {
  const parts = new DisposableStack();
  const ports = userSpacePorts({ nodePortAddresses: [] });
  parts.defer(async () => void (await ports.serve([])));
  afterAll(() => parts[Symbol.asyncDispose]());

  async function tcpServer(name: string): Promise<ForwardedPort['endpoints'][number]> {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => socket.write(`${name} ${data}`));
      socket.on('end', () => socket.end());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    parts.defer(() => void server.close());
    return { address: '127.0.0.1', port: (server.address() as AddressInfo).port };
  }
  async function udpServer(name: string): Promise<ForwardedPort['endpoints'][number]> {
    const server = createSocket('udp4');
    server.on('message', (data, from) => server.send(`${name} ${data}`, from.port, from.address));
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    parts.defer(() => void server.close());
    return { address: '127.0.0.1', port: server.address().port };
  }
  async function freePort(): Promise<number> {
    const server = createServer().listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    return port;
  }
  const forwarded = (port: number, endpoints: ForwardedPort['endpoints'], more: Partial<ForwardedPort> = {}) => ({
    ...{ service: 'default/web:', protocol: 'tcp' as const, affinitySeconds: 0 },
    ...{ port, endpoints },
    ...more,
  });
  /** The response to a client that sends a text and ends; the error's code if nothing listens. */
  function ask(port: number, host = '127.0.0.1'): Promise<string> {
    return new Promise((resolve) => {
      let output = '';
      const socket = connect({ port, host });
      socket.on('data', (data) => {
        output += data;
      });
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
      socket.on('close', () => resolve(output));
      socket.end('hi');
    });
  }

  test('connections reach every endpoint, skip a dead one, and end with their clients', async () => {
    const [a, b] = [await tcpServer('a'), await tcpServer('b')];
    const port = await freePort();
    expect(await ports.serve([forwarded(port, [a, b, { address: '127.0.0.1', port: 1 }])])).toEqual(new Map());
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(port)));
    expect(new Set(answers)).toEqual(new Set(['a hi', 'b hi']));
    await ports.serve([forwarded(port, [b])]);
    expect(await ask(port)).toBe('b hi');
    expect(await ask(port, '::1')).toBe('b hi');
    await ports.serve([]);
    expect(await ask(port)).toBe('ECONNREFUSED');
  });

  test('a client with affinity stays, until its endpoint is gone', async () => {
    const [a, b] = [await tcpServer('a'), await tcpServer('b')];
    const port = await freePort();
    const sticky = (...endpoints: (typeof a)[]) => ports.serve([forwarded(port, endpoints, { affinitySeconds: 60 })]);
    await sticky(a, b);
    const first = await ask(port);
    for (let i = 0; i < 10; i++) expect(await ask(port)).toBe(first);
    await sticky(first === 'a hi' ? b : a);
    expect(await ask(port)).toBe(first === 'a hi' ? 'b hi' : 'a hi');
  });

  test('datagrams are forwarded both ways, and to another endpoint when theirs is removed', async () => {
    const [a, b] = [await udpServer('a'), await udpServer('b')];
    const port = await freePort();
    await ports.serve([forwarded(port, [a], { protocol: 'udp' })]);
    const client = createSocket('udp4');
    parts.defer(() => void client.close());
    const say = async (text: string) => {
      client.send(text, port, '127.0.0.1');
      const [data] = await once(client, 'message');
      return String(data);
    };
    expect(await say('one')).toBe('a one');
    await ports.serve([forwarded(port, [b], { protocol: 'udp' })]);
    expect(await say('two')).toBe('b two');
  });

  test('a port that is taken is reported, and the others are served', async () => {
    const taken = createServer().listen(0);
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const other = await freePort();
    const endpoint = await tcpServer('a');
    const failed = await ports.serve([forwarded(port, [endpoint]), forwarded(other, [endpoint])]);
    expect([...failed.keys()]).toEqual([`tcp/${port}`]);
    expect(await ask(other)).toBe('a hi');
    taken.close();
    await once(taken, 'close');
    expect(await ports.serve([forwarded(port, [endpoint])])).toEqual(new Map());
    expect(await ask(port)).toBe('a hi');
  });
});
