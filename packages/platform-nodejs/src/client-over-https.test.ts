import { randomUUID } from 'node:crypto';
import { refs } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
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
import { type ClientHarness, describeClient, describeControllerRuntime } from '@coracle/testing';
import { test } from 'vitest';
import { createHttpTransport } from './http-transport.js';
import { loadConnection } from './kubeconfig-file.js';
import { systemClock } from './system-clock.js';
import { createSystemRandom } from './system-random.js';

interface Reached extends AsyncDisposable {
  readonly connection: Connection;
}

async function ownCluster(): Promise<Reached> {
  const cluster: Cluster = await startCluster();
  return { connection: connectionOf(parseKubeconfig(cluster.kubeconfig)), [Symbol.asyncDispose]: () => cluster.stop() };
}

/** The cluster that `KUBECONFIG` names, which may be any Kubernetes. */
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

/** Where no controller looks after namespaces, what is in one would stay behind with it. */
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
if (process.env['KUBECONFIG']) describeWays('with the cluster of KUBECONFIG', namedCluster);
else test.skip('the client and the controller runtime, with the cluster of KUBECONFIG, which is not set');
