import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { queryDnsServer } from './query-dns-server.js';

const question = Uint8Array.of(1, 2, 3, 4);

describe('queries to a DNS server', () => {
  test.each(['udp', 'tcp'] as const)(
    'one that cannot be reached over %s is an error of the question',
    async (protocol) => {
      // The kernel refuses to connect to the broadcast address, as it does where there is no route.
      await expect(queryDnsServer('255.255.255.255', question, protocol)).rejects.toThrow();
    },
  );

  test('a port without a listener', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const address = closed.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await new Promise((resolve) => closed.close(resolve));
    await expect(queryDnsServer(`127.0.0.1#${port}`, question, 'tcp')).rejects.toThrow('ECONNREFUSED');
  });

  test('responses with another id are ignored', async () => {
    const server = createSocket('udp4');
    server.on('message', (_packet, { port, address }) => {
      server.send(Uint8Array.of(9, 9, 0), port, address);
      server.send(Uint8Array.of(1, 2, 7), port, address);
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    const answer = await queryDnsServer(`127.0.0.1#${server.address().port}`, question, 'udp');
    expect([...answer]).toEqual([1, 2, 7]);
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
});
