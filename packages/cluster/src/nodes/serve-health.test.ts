import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger, VirtualClock } from '@coracle/base';
import { expect, onTestFinished, test, vi } from 'vitest';
import { serveHealth } from './serve-health.js';

const host = '127.0.0.1';

/** Another server on a free port. */
async function occupiedPort() {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, host, resolve));
  const release = () => new Promise((resolve) => other.close(resolve));
  onTestFinished(async () => void (await release()));
  return { port: (other.address() as AddressInfo).port, release };
}

async function get(port: number, path: string): Promise<string> {
  const response = await fetch(`http://${host}:${port}${path}`);
  return `${response.status} ${await response.text()}`;
}

test.each([
  ['/healthz', '200 ok'],
  ['/healthz/ping', '200 ok'],
  ['/healthz?verbose', '200 [+]ping ok\nhealthz check passed\n'],
  ['/pods', '404 404 page not found\n'],
])('the health server of a kubelet returns %s', async (path, answer) => {
  const { port, release } = await occupiedPort();
  await release();
  await using _server = await serveHealth({ host, port }, { clock: new VirtualClock(), logger: silentLogger });
  expect(await get(port, path)).toBe(answer);
});

test('a port in use is logged once, and retried until it is free', async () => {
  const { port, release } = await occupiedPort();
  const clock = new VirtualClock();
  const error = vi.fn();
  await using _server = await serveHealth({ host, port }, { clock, logger: { ...silentLogger, error } });
  await clock.advance(5_000);
  await release();
  await vi.waitFor(async () => {
    await clock.advance(5_000);
    expect(await get(port, '/healthz')).toBe('200 ok');
  });
  expect(error.mock.calls).toEqual([
    ['Failed to start healthz server', { host, port, error: expect.stringContaining('EADDRINUSE') }],
  ]);
});

test('a health server that has ended leaves its port, also one that never got it', async () => {
  const { port, release } = await occupiedPort();
  const clock = new VirtualClock();
  const server = await serveHealth({ host, port }, { clock, logger: silentLogger });
  await server[Symbol.asyncDispose]();
  await release();
  await clock.advance(10_000);
  await expect(get(port, '/healthz')).rejects.toThrow();
});
