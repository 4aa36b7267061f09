import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Pod, refs } from '@coracle/api';
import { silentLogger } from '@coracle/base';
import { waitForObject } from '@coracle/client';
import { systemClock } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runComponent } from './run-component.js';
import { readSchedulerConfiguration } from './scheduler-settings.js';
import { type Cluster, startCluster } from './start-cluster.js';

/** The request to an extender, with the names of Go's fields. */
interface Message {
  readonly NodeNames?: readonly string[];
  readonly PodName?: string;
  readonly PodUID?: string;
  readonly Node?: string;
}

let cluster: Cluster;
let folder: string;
let extender: Server;
const requests: string[] = [];

beforeAll(async () => {
  cluster = await startCluster({ nodes: 3, components: { scheduler: false } });
  folder = await mkdtemp(join(tmpdir(), 'coracle-extender-'));
  await writeFile(join(folder, 'kubeconfig'), cluster.kubeconfig);
  extender = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    requests.push(request.url ?? '');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(await answerTo(request.url ?? '', JSON.parse(text))));
  }).listen(0, '127.0.0.1');
  await once(extender, 'listening');
});
afterAll(async () => {
  extender?.close();
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Filters out the last node, prefers the second, and binds pods itself. */
async function answerTo(path: string, message: Message): Promise<unknown> {
  const { NodeNames = [], PodName = '', PodUID, Node = '' } = message;
  const [, second, last = ''] = [...(await nodeNames())];
  if (path === '/v1/filter')
    return { NodeNames: NodeNames.filter((name) => name !== last), FailedNodes: { [last]: 'it is broken' } };
  if (path === '/v1/prioritize') return NodeNames.map((Host) => ({ Host, Score: Host === second ? 10 : 0 }));
  const binding = { metadata: { name: PodName, uid: PodUID }, target: { kind: 'Node', name: Node } };
  await cluster.client.resource(refs.pods, 'default').createSubresource(PodName, 'binding', binding);
  return {};
}

async function nodeNames(): Promise<string[]> {
  const { items } = await cluster.client.resource(refs.nodes).list();
  return items.map(({ metadata }) => metadata.name ?? '').sort();
}

test('SCH-95 SCH-97 a scheduler calls an extender over HTTP to filter, prioritize and bind', async () => {
  const { port } = extender.address() as AddressInfo;
  const config = join(folder, 'config.yaml');
  await writeFile(
    config,
    `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
  - urlPrefix: http://127.0.0.1:${port}/v1
    filterVerb: filter
    prioritizeVerb: prioritize
    bindVerb: bind
    weight: 100
    nodeCacheCapable: true
    managedResources: [{ name: example.com/licence, ignoredByScheduler: true }]
`,
  );
  const kubeconfig = join(folder, 'kubeconfig');
  await using _running = await runComponent({
    component: 'scheduler',
    kubeconfig,
    logger: silentLogger,
    schedulerConfiguration: await readSchedulerConfiguration(config),
  });
  const limits = { 'example.com/licence': '1' };
  const placed = async (name: string, resources: object) => {
    const pods = cluster.client.resource<Pod>(refs.pods, 'default');
    await pods.create({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i', resources }] } });
    const pod = await waitForObject({
      client: cluster.client,
      clock: systemClock,
      ref: refs.pods,
      namespace: 'default',
      name,
      until: (one) => one?.spec?.nodeName !== undefined,
      timeoutMs: 20_000,
    });
    return pod?.spec?.nodeName;
  };

  expect(await placed('plain', {})).toBeDefined();
  expect(requests).toEqual([]);
  expect(await placed('licensed', { limits, requests: limits })).toBe((await nodeNames())[1]);
  expect(requests).toEqual(['/v1/filter', '/v1/prioritize', '/v1/bind']);
});
