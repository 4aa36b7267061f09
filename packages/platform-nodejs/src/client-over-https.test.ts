import { randomUUID } from 'node:crypto';
import { type Connection, connectionOf, createClient, parseKubeconfig, waitFor } from '@coracle/client';
import { type Cluster, startCluster } from '@coracle/cluster';
import { type ClientHarness, describeClient } from '@coracle/testing';
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

async function harness(reach: () => Promise<Reached>, http2: boolean): Promise<ClientHarness> {
  const reached = await reach();
  const transport = await createHttpTransport({ connection: reached.connection, http2 });
  const client = createClient({ transport, userAgent: 'coracle-suite' });
  const namespace = `suite-${randomUUID().slice(0, 8)}`;
  await client.namespaces().create({ metadata: { name: namespace } });
  return {
    client,
    clock: systemClock,
    random: createSystemRandom(),
    namespace,
    eventually: async (check) => {
      await waitFor(async () => (await check()) || undefined, {
        clock: systemClock,
        timeoutMs: 15_000,
        intervalMs: 20,
      });
    },
    passing: (promise) => Promise.resolve(promise),
    async [Symbol.asyncDispose]() {
      await client.namespaces().delete(namespace);
      transport[Symbol.dispose]();
      await reached[Symbol.asyncDispose]();
    },
  };
}

describeClient('over HTTP/1.1 and TLS', () => harness(ownCluster, false));
describeClient('over HTTP/2 and TLS', () => harness(ownCluster, true));

if (process.env['KUBECONFIG']) {
  describeClient('with the cluster of KUBECONFIG over HTTP/1.1', () => harness(namedCluster, false));
  describeClient('with the cluster of KUBECONFIG over HTTP/2', () => harness(namedCluster, true));
}
