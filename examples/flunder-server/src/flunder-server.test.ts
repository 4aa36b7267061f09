import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, ownCertificates, startCluster, startExtensionServer, systemClock } from 'coracle';
import { expect, test } from 'vitest';
import { crd, flunders } from './flunder.js';
import { localService, manifests } from './manifests.js';

/** Bounded: the cluster checks a new server at once. */
async function untilServed(client: Client): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const services = await client.apiServices().get('v1.wardle.example.com');
    if (services.status?.conditions?.some(({ status }) => status === 'True')) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the APIService does not become available');
}

test('flunders are served by a server of their own, through the cluster', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'flunders-'));
  await using cluster = await startCluster({ nodes: 0 });
  const { client } = cluster;
  const certificates = ownCertificates({ folder, clock: systemClock, dnsNames: ['api.wardle.svc'] });
  await using server = await startExtensionServer({
    crds: [crd],
    client,
    certificate: await certificates.current(),
    host: '127.0.0.1',
  });
  const [namespace, apiService] = manifests({ caBundle: await certificates.authority(), port: server.port });
  await client.raw('POST', '/api/v1/namespaces', { body: namespace });
  await client.raw('POST', '/api/v1/namespaces/wardle/services', { body: localService });
  await client.raw('POST', '/apis/apiregistration.k8s.io/v1/apiservices', { body: apiService });
  await untilServed(client);

  const made = await client.resource(flunders, 'default').create({ metadata: { name: 'first' }, spec: {} });
  expect(made.spec).toEqual({ colour: 'green' });
  await expect(
    client.resource(flunders, 'default').create({ metadata: { name: 'second' }, spec: { colour: 'blue' } }),
  ).rejects.toThrow('Unsupported value: "blue"');
  const { items } = await client.resource(flunders, 'default').list();
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['first']);
  await rm(folder, { recursive: true });
}, 60_000);
