import { refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, expect, test } from 'vitest';
import { bundleName, servingSigner } from './bundle-name.js';

let cluster: Cluster | undefined;
afterEach(() => cluster?.stop());

test('the CA of serving certificates is published, and bundles of earlier CAs are deleted', async () => {
  cluster = await startCluster({ clock: 'virtual', nodes: 0, runtimeConfig: { 'certificates.k8s.io/v1beta1': true } });
  const bundles = cluster.client.resource(refs.clusterTrustBundlesV1beta1);
  const { clock } = cluster;
  const published = async () => {
    await clock.advance('1m');
    return (await bundles.list()).items;
  };
  const [first, ...others] = await published();
  if (!first || others.length > 0) throw new Error('there must be one bundle');
  expect(first.metadata.name).toBe(await bundleName(first.spec.trustBundle));
  expect(first.metadata.name).toMatch(/^kubernetes.io:kube-apiserver-serving:[0-9a-f]{40}$/);

  const old = { signerName: servingSigner, trustBundle: first.spec.trustBundle };
  await bundles.create({ metadata: { name: 'kubernetes.io:kube-apiserver-serving:old' }, spec: old });
  expect((await published()).map(({ metadata }) => metadata.name)).toEqual([first.metadata.name]);
});
