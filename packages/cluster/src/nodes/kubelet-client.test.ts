import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Node } from '@coracle/api';
import { type ApiResponse, bodyBytes } from '@coracle/apimachinery';
import { silentLogger } from '@coracle/base';
import { createDialer, openClusterPki, systemClock } from '@coracle/platform-nodejs';
import { describeNodeConnector } from '@coracle/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Cluster, startCluster } from '../start-cluster.js';
import { remoteKubelets } from './kubelet-client.js';
import { nodeServing } from './node-serving.js';
import { serveNode } from './serve-node.js';

let folder: string;
let cluster: Cluster;
let connector: ReturnType<typeof remoteKubelets>;
let stranger: ReturnType<typeof remoteKubelets>;
let node: Node;
const parts: AsyncDisposable[] = [];

/** The kubelet of a simulated node, reached over the network like that of another machine. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-kubelet-'));
  cluster = await startCluster({ nodes: 1 });
  const [name = ''] = cluster.nodes.names;
  const pki = await openClusterPki({ folder, clock: systemClock, serviceAddress: '10.0.0.1' });
  const { serving } = await nodeServing({ nodeName: name, kubeletPort: 0 }, pki, systemClock);
  if (!serving) throw new Error('there is no certificate');
  const { server } = cluster.nodes.kubeletOf(name) ?? {};
  if (!server) throw new Error('there is no kubelet');
  const guarded = {
    ...server,
    exchange: async (request: Parameters<typeof server.exchange>[0]): Promise<ApiResponse> =>
      request.peer?.certificate?.commonName === 'kube-apiserver-kubelet-client'
        ? server.exchange(request)
        : { status: 401, headers: {}, body: { kind: 'empty' } },
  };
  const http = await serveNode({ ...serving, host: '127.0.0.1' }, () => guarded, silentLogger);
  parts.push(http);
  const dialer = createDialer();
  connector = remoteKubelets({ preferredAddressTypes: ['InternalIP'] }, { dialer, pki, clock: systemClock });
  stranger = remoteKubelets({ preferredAddressTypes: ['InternalIP'] }, { dialer, pki: undefined, clock: systemClock });
  node = {
    metadata: { name },
    status: {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: http.port } },
    },
  };
  await cluster.client.pods('default').create({
    metadata: { name: 'web', annotations: { 'simulation.coracle.dev/logs': 'listening' } },
    spec: { containers: [{ name: 'c', image: 'nginx' }] },
  });
  await vi.waitFor(
    async () => expect((await cluster.client.pods('default').get('web')).status?.phase).toBe('Running'),
    { timeout: 60_000 },
  );
}, 120_000);

afterAll(async () => {
  for (const part of parts) await part[Symbol.asyncDispose]();
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

const get = (path: string, query = '') => ({
  method: 'GET',
  path,
  query,
  headers: {},
  signal: new AbortController().signal,
});

async function textOf({ body }: ApiResponse): Promise<string> {
  return new TextDecoder().decode(await bodyBytes(body));
}

/** A node whose kubelet listens nowhere. */
const silent = ({ metadata, status }: Node): Node => ({
  metadata,
  status: { ...status, daemonEndpoints: { kubeletEndpoint: { Port: 1 } } },
});

describeNodeConnector('kubelets over HTTPS', async () => ({
  connector,
  node,
  unreachable: silent(node),
  [Symbol.asyncDispose]: async () => undefined,
}));

describe('a kubelet of another process', () => {
  test('is called with the client certificate of the API server', async () => {
    const answer = await connector.request(node, get('/pods'));
    expect(await textOf(answer)).toContain('"name":"web"');
    expect((await stranger.request(node, get('/pods'))).status).toBe(401);
  });

  test('without a response is unavailable', async () => {
    await expect(connector.request(silent(node), get('/pods'))).rejects.toMatchObject({
      status: { code: 503, message: expect.stringContaining('error dialing backend: dial tcp 127.0.0.1:1: ') },
    });
    const nowhere = { metadata: { name: 'lost' }, status: { addresses: [{ type: 'ExternalIP', address: '1.2.3.4' }] } };
    await expect(connector.request(nowhere, get('/pods'))).rejects.toMatchObject({
      status: { message: expect.stringContaining('no preferred addresses found for node "lost"') },
    });
  });
});
