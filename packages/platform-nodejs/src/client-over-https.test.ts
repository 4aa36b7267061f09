import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refs } from '@coracle/api';
import type { ApiRequest, KubeObject, ResourceRef } from '@coracle/apimachinery';
import { silentLogger } from '@coracle/base';
import {
  type Client,
  type Connection,
  type ContentCodec,
  connectionOf,
  createClient,
  parseKubeconfig,
  protobufCodec,
  waitFor,
} from '@coracle/client';
import { type Cluster, startCluster } from '@coracle/cluster';
import { type ClientHarness, describeClient, describeControllerRuntime, refuseWatchLists } from '@coracle/testing';
import { test } from 'vitest';
import { startHttpServer } from './http/http-server.js';
import { createHttpTransport } from './http-transport.js';
import { loadConnection } from './kubeconfig-file.js';
import { openClusterPki } from './pki/cluster-pki.js';
import { systemClock } from './system-clock.js';
import { createSystemRandom } from './system-random.js';

interface Reached extends AsyncDisposable {
  readonly connection: Connection;
}

async function ownCluster(): Promise<Reached> {
  const cluster: Cluster = await startCluster();
  return { connection: connectionOf(parseKubeconfig(cluster.kubeconfig)), [Symbol.asyncDispose]: () => cluster.stop() };
}

/** A cluster behind a server that answers watch lists as kube-apiserver on an older etcd does. */
async function clusterWithoutWatchLists(): Promise<Reached> {
  const cluster = await ownCluster();
  const folder = await mkdtemp(join(tmpdir(), 'coracle-old-etcd-'));
  const pki = await openClusterPki({ folder, clock: systemClock, serviceAddress: '10.96.0.1' });
  const transport = await createHttpTransport({ connection: cluster.connection, http2: true });
  const server = await startHttpServer({
    exchange: refuseWatchLists(
      ({ peer: _peer, ...request }) => transport.exchange({ ...request, headers: forwarded(request.headers) }),
      'ERROR event',
    ),
    host: '127.0.0.1',
    port: 0,
    tls: { ...pki.server, clientCa: pki.ca.certificate },
    maxBodyBytes: 3 * 1024 * 1024,
    logger: silentLogger,
  });
  return {
    connection: {
      ...cluster.connection,
      server: `https://127.0.0.1:${server.port}`,
      certificateAuthority: { data: pki.ca.certificate },
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      transport[Symbol.dispose]();
      await cluster[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

/** State of one connection is not passed on to the next. */
function forwarded(headers: ApiRequest['headers']): ApiRequest['headers'] {
  const {
    host: _host,
    connection: _connection,
    'content-length': _length,
    'accept-encoding': _encoding,
    ...rest
  } = headers;
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith(':')));
}

/** The cluster of `KUBECONFIG`, which may be any Kubernetes. */
async function namedCluster(): Promise<Reached> {
  return { connection: await loadConnection(), [Symbol.asyncDispose]: async () => {} };
}

interface Way {
  readonly reach: () => Promise<Reached>;
  readonly http2: boolean;
  readonly codec?: ContentCodec;
}

async function harness({ reach, http2, codec }: Way): Promise<ClientHarness> {
  const reached = await reach();
  const transport = await createHttpTransport({ connection: reached.connection, http2 });
  const client = createClient({ transport, userAgent: 'coracle-suite', ...(codec && { codec }) });
  const namespace = `coracle-suite-${randomUUID().slice(0, 8)}`;
  await client.namespaces().create({ metadata: { name: namespace } });
  return {
    client,
    clock: systemClock,
    random: createSystemRandom(),
    namespace,
    eventually: async (check) => {
      await waitFor(async () => (await check()) || undefined, {
        clock: systemClock,
        timeoutMs: 30_000,
        intervalMs: 20,
      });
    },
    passing: (promise) => Promise.resolve(promise),
    async [Symbol.asyncDispose]() {
      await empty(client, namespace);
      await client.namespaces().delete(namespace);
      transport[Symbol.dispose]();
      await reached[Symbol.asyncDispose]();
    },
  };
}

const used = [refs.configMaps, refs.deployments, refs.leases, refs.events] as readonly ResourceRef<KubeObject>[];

/** Without a namespace controller, the content of a namespace would remain. */
async function empty(client: Client, namespace: string): Promise<void> {
  for (const ref of used) await client.resource(ref, namespace).deleteCollection();
}

function describeWays(cluster: string, reach: () => Promise<Reached>): void {
  describeClient(`${cluster} over HTTP/1.1`, () => harness({ reach, http2: false }));
  describeClient(`${cluster} over HTTP/2`, () => harness({ reach, http2: true }));
  describeClient(`${cluster} over HTTP/2 in protobuf`, () => harness({ reach, http2: true, codec: protobufCodec }));
  describeControllerRuntime(`${cluster} over HTTP/1.1`, () => harness({ reach, http2: false }));
  describeControllerRuntime(`${cluster} over HTTP/2`, () => harness({ reach, http2: true }));
}

describeWays('with a cluster of ours', ownCluster);
describeClient('with a server on an older etcd over HTTP/1.1', () =>
  harness({ reach: clusterWithoutWatchLists, http2: false }),
);
describeControllerRuntime('with a server on an older etcd over HTTP/2', () =>
  harness({ reach: clusterWithoutWatchLists, http2: true }),
);
if (process.env['KUBECONFIG']) describeWays('with the cluster of KUBECONFIG', namedCluster);
else test.skip('the client and the controller runtime, with the cluster of KUBECONFIG, which is not set');
