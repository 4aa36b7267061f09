import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { networkProber } from './network-prober.js';

async function answering(
  status: number,
  location: (path: string) => string | undefined = () => undefined,
): Promise<{ port: number; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer(({ url, headers }, response) => {
    requests.push(`${url} ${headers['user-agent']}`);
    const to = location(url ?? '');
    response.writeHead(to === '' ? 200 : status, to ? { location: to } : {}).end('seen');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, requests };
}

const pod = { metadata: { name: 'web' } };
const container = { name: 'web' };
const { signal } = new AbortController();
const place = { pod, container, containerId: 'c1', podIp: '127.0.0.1' };

test('a lifecycle hook is over with any answer, and a probe only succeeds with a good one', async () => {
  const { port, requests } = await answering(404);
  const action = { port, path: '/echo?msg=poststart' };
  await networkProber.callHook({ ...place, action }, signal);
  const result = await networkProber.probe({ ...place, kind: 'liveness', probe: { httpGet: action } }, signal);
  expect(result).toEqual({ outcome: 'failure', output: 'HTTP probe failed with statuscode: 404' });
  expect(requests).toEqual(['/echo?msg=poststart kube-lifecycle/1.36', '/echo?msg=poststart kube-probe/1.36']);
});

test('redirects within the host are followed; others are a success with a warning', async () => {
  const { port, requests } = await answering(302, (path) => ({ '/': '/next', '/next': '' })[path] ?? 'http://0.0.0.0/');
  const probe = (path: string) =>
    networkProber.probe({ ...place, kind: 'liveness', probe: { httpGet: { port, path } } }, signal);
  expect(await probe('/')).toEqual({ outcome: 'success', output: 'seen' });
  expect(requests.map((line) => line.split(' ')[0])).toEqual(['/', '/next']);
  expect(await probe('/away')).toEqual({
    outcome: 'warning',
    output: 'Probe terminated redirects, Response body: seen',
  });
});

test('a probe without a response ends as soon as it is aborted', async () => {
  const sockets = new Set<Socket>();
  const silent = createTcpServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)));
    socket.resume().on('error', () => undefined);
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const aborter = new AbortController();
  const probe = { httpGet: { port }, timeoutSeconds: 600 };
  const probed = networkProber.probe({ ...place, kind: 'liveness', probe }, aborter.signal);
  const hook = networkProber.callHook({ ...place, action: { port } }, aborter.signal);
  const hookFails = expect(hook).rejects.toThrow('aborted');
  await vi.waitFor(() => expect(sockets.size).toBe(2));
  aborter.abort();
  expect((await probed).outcome).toBe('failure');
  await hookFails;
  await vi.waitFor(() => expect(sockets.size).toBe(0));
});

test('a lifecycle hook fails when nothing answers', async () => {
  await expect(networkProber.callHook({ ...place, action: { port: 1 } }, signal)).rejects.toThrow(
    'Get "http://127.0.0.1:1/": dial tcp 127.0.0.1:1: connect: connection refused',
  );
});
