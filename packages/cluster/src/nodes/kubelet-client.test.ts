import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Node } from '@coracle/api';
import {
  type ApiResponse,
  type Channel,
  commandChannels,
  frame,
  spdyPortForward,
  unframe,
} from '@coracle/apimachinery';
import { silentLogger } from '@coracle/base';
import { createDialer, openClusterPki, systemClock } from '@coracle/platform-nodejs';
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

/** The kubelet of a simulated node, reached over the network as if it were another machine's. */
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
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'c', image: 'nginx' }] },
  });
  await vi.waitFor(async () => expect((await cluster.client.pods('default').get('web')).status?.phase).toBe('Running'));
}, 30_000);

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
  if (body.kind !== 'stream') return '';
  let text = '';
  await new Promise<void>((resolve) =>
    body.stream.open({
      write: (chunk) => {
        text += new TextDecoder().decode(chunk);
        return true;
      },
      end: resolve,
      onDrain: () => {},
      onClose: () => {},
    }),
  );
  return text;
}

describe('a kubelet of another process', () => {
  test('is asked with the certificate of the API server', async () => {
    const answer = await connector.request(node, get('/pods'));
    expect(await textOf(answer)).toContain('"name":"web"');
    expect((await stranger.request(node, get('/pods'))).status).toBe(401);
  });

  test('runs commands for clients of the newest protocol', async () => {
    const query = 'input=1&output=1&error=1&command=cat';
    const opened = await connector.connect(node, { ...get('/exec/default/web/c', query), method: 'POST' }, [
      'v5.channel.k8s.io',
    ]);
    const channel = opened as Channel;
    const heard: string[] = [];
    const ended = new Promise<void>((resolve) => channel.onClose(() => resolve()));
    channel.onMessage((message) => {
      const { channel: id, payload } = unframe(message) ?? { channel: -1, payload: new Uint8Array() };
      if (payload.length > 0) heard.push(`${id} ${new TextDecoder().decode(payload)}`);
    });
    channel.send(frame(commandChannels.stdin, new TextEncoder().encode('hello')));
    channel.send(frame(commandChannels.close, new Uint8Array([commandChannels.stdin])));
    await ended;
    expect(heard).toEqual(['1 hello', expect.stringContaining('"status":"Success"')]);
  });

  test('forwards ports', async () => {
    const request = { ...get('/portForward/default/web'), method: 'POST' };
    const opened = (await connector.connect(node, request, [spdyPortForward])) as Channel;
    expect(opened.protocol).toBe(spdyPortForward);
    opened[Symbol.dispose]();
  });

  test('that does not answer is unavailable', async () => {
    const gone = { ...node, status: { ...node.status, daemonEndpoints: { kubeletEndpoint: { Port: 1 } } } };
    await expect(connector.request(gone, get('/pods'))).rejects.toMatchObject({
      status: { code: 503, message: expect.stringContaining('error dialing backend: dial tcp 127.0.0.1:1: ') },
    });
    const nowhere = { metadata: { name: 'lost' }, status: { addresses: [{ type: 'ExternalIP', address: '1.2.3.4' }] } };
    await expect(connector.request(nowhere, get('/pods'))).rejects.toMatchObject({
      status: { message: expect.stringContaining('no preferred addresses found for node "lost"') },
    });
  });
});
