import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createCodec } from '@coracle/cri';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import { probeGrpc } from './grpc-probe.js';

const codec = createCodec({
  messages: { Request: { service: [1, 'string'] }, Response: { status: [1, 'ServingStatus'] } },
  enums: { ServingStatus: {} },
});

/** A health service with this status; 1 is serving. */
async function healthServer(statusOf: (service: string) => number): Promise<number> {
  const server = new Server();
  const check = ({ request }: ServerUnaryCall<{ service?: string }, object>, done: sendUnaryData<object>) =>
    done(null, { status: statusOf(request.service ?? '') });
  const definition = {
    path: '/grpc.health.v1.Health/Check',
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: object) => Buffer.from(codec.encode('Request', value)),
    requestDeserialize: (bytes: Buffer) => codec.decode('Request', bytes),
    responseSerialize: (value: object) => Buffer.from(codec.encode('Response', value)),
    responseDeserialize: (bytes: Buffer) => codec.decode('Response', bytes),
  };
  server.addService({ Check: definition }, { Check: check });
  onTestFinished(() => server.forceShutdown());
  return new Promise((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    ),
  );
}

const { signal } = new AbortController();
const probe = (port: number, service = '') =>
  probeGrpc({ host: '127.0.0.1', port, service, timeoutMs: 60_000, signal });

test('the health service of a gRPC server is called', async () => {
  const port = await healthServer((service) => (service === 'ill' ? 2 : 1));
  expect(await probe(port)).toEqual({ outcome: 'success', output: 'service healthy' });
  expect(await probe(port, 'ill')).toEqual({
    outcome: 'failure',
    output: 'service unhealthy (responded with "NOT_SERVING")',
  });
});

test('a server without a health service fails, and so does one that is not there', async () => {
  const server = new Server();
  onTestFinished(() => server.forceShutdown());
  const port = await new Promise<number>((resolve) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (_error, bound) => resolve(bound)),
  );
  const { outcome, output } = await probe(port);
  expect([outcome, output]).toEqual(['failure', expect.stringContaining("doesn't implement the grpc health protocol")]);
  server.forceShutdown();
  expect((await probe(port)).outcome).toBe('failure');
});

/** Servers that take a connection and never answer a call. */
test.each<[string, (socket: Socket) => void, string]>([
  [
    'nothing at all',
    () => undefined,
    'timeout: failed to connect service "ADDRESS" within 0.2s: context deadline exceeded',
  ],
  // An empty SETTINGS frame.
  [
    'no call',
    (socket) => socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])),
    'timeout: health rpc did not complete within 0.2s',
  ],
])('a connection to a server that answers %s is closed at the timeout', async (_, greet, message) => {
  const server = createServer({ allowHalfOpen: true });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const closed = once(server, 'connection').then(async ([socket]: Socket[]) => {
    if (!socket) return;
    greet(socket);
    socket.resume();
    socket.on('error', () => undefined);
    await once(socket, 'end');
    socket.destroy();
  });
  const { output } = await probeGrpc({ host: '127.0.0.1', port, service: '', timeoutMs: 200, signal });
  expect(output).toBe(message.replace('ADDRESS', `127.0.0.1:${port}`));
  await closed;
});

test('a probe that is not wanted any more closes its connection', async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const aborter = new AbortController();
  const probing = probeGrpc({ host: '127.0.0.1', port, service: '', timeoutMs: 60_000, signal: aborter.signal });
  const [socket]: Socket[] = await once(server, 'connection');
  socket?.resume().on('error', () => undefined);
  aborter.abort();
  expect((await probing).outcome).toBe('failure');
  if (socket && !socket.closed) await once(socket, 'close');
});
