import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger } from '@coracle/base';
import type { PodManifest } from '@coracle/kubelet';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../system-clock.js';
import { staticPodUrl } from './static-pod-url.js';

/** Follows a server that answers with what `answer` says. */
async function follow(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pods`;
  const deliveries: (readonly PodManifest[])[] = [];
  const headers = { 'Metadata-Flavor': ['Test'] };
  const source = staticPodUrl({ url, headers, clock: systemClock, logger: silentLogger, periodMs: 50 });
  const following = source.follow((manifests) => deliveries.push(manifests));
  onTestFinished(() => {
    following[Symbol.dispose]();
    server.closeAllConnections();
    server.close();
  });
  return { updates: deliveries, url };
}

const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name } });
const until = { timeout: 20_000 };

test('a pod, then a list of pods; what fails in between changes nothing', async () => {
  const bodies = [
    JSON.stringify(pod('one')),
    '',
    'kind: [',
    JSON.stringify({ kind: 'PodList', items: [pod('two'), pod('three')] }),
  ];
  const { updates, url } = await follow((request, response) => {
    expect(request.headers['metadata-flavor']).toBe('Test');
    response.end(bodies.length > 1 ? bodies.shift() : bodies[0]);
  });
  await vi.waitFor(() => expect(updates.length).toBeGreaterThan(1), until);
  expect(updates[0]).toEqual([{ pod: pod('one'), location: url }]);
  expect(updates[1]?.map((manifest) => manifest.pod.metadata.name)).toEqual(['two', 'three']);
});

test('a failed request is retried', async () => {
  let count = 0;
  const { updates } = await follow((_request, response) => {
    response.writeHead(++count < 3 ? 503 : 200).end(JSON.stringify(pod('late')));
  });
  await vi.waitFor(() => expect(updates).not.toHaveLength(0), until);
  expect(count).toBeGreaterThanOrEqual(3);
});
