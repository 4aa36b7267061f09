import { refs, type Secret } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isExpired, readBootstrapToken } from './bootstrap-token.js';
import { detachedSignature } from './detached-signature.js';

const kubeconfig = 'apiVersion: v1\nkind: Config\n';

function tokenSecret(id: string, more: Record<string, string> = {}): Secret {
  const data = { 'token-id': id, 'token-secret': '0123456789abcdef', 'usage-bootstrap-signing': 'true', ...more };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
    type: 'bootstrap.kubernetes.io/token',
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, btoa(value)])),
  };
}

describe('reading a bootstrap token', () => {
  const renamed: Secret = { ...tokenSecret('abcdef'), metadata: { name: 'other', namespace: 'kube-system' } };
  test.each([
    ['another type', { ...tokenSecret('abcdef'), type: 'Opaque' }],
    ['another name', renamed],
    ['another namespace', { ...tokenSecret('abcdef'), metadata: { ...renamed.metadata, namespace: 'default' } }],
    ['no secret', tokenSecret('abcdef', { 'token-secret': '' })],
  ])('is undefined for %s', (_name, secret) => {
    expect(readBootstrapToken(secret)).toBeUndefined();
  });

  test('an expiration that is no time has passed', () => {
    const token = readBootstrapToken(tokenSecret('abcdef', { expiration: 'soon' }));
    expect(token && isExpired(token, 1)).toBe(true);
  });
});

test('signs as kubeadm verifies', async () => {
  expect(await detachedSignature(kubeconfig, { id: 'a0a0a2', secret: '0123456789abcdef' })).toBe(
    'eyJhbGciOiJIUzI1NiIsImtpZCI6ImEwYTBhMiJ9..tv24xaoHytLa4FsMwjGTIRpDk5BYROAp_Q-WmuNpJNk',
  );
});

describe('on a cluster', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0 });
  });
  afterEach(() => cluster.stop());

  const signatures = async () => {
    const info = await cluster.client.resource(refs.configMaps, 'kube-public').get('cluster-info');
    return Object.keys(info.data ?? {}).filter((key) => key !== 'kubeconfig');
  };

  test('cluster-info has a signature for each token while there is one', async () => {
    const secrets = cluster.client.resource(refs.secrets, 'kube-system');
    const metadata = { name: 'cluster-info' };
    await cluster.client
      .resource(refs.configMaps, 'kube-public')
      .create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { kubeconfig } });
    await secrets.create(tokenSecret('abcdef'));
    await secrets.create(tokenSecret('silent', { 'usage-bootstrap-signing': 'false' }));
    await cluster.settled();
    expect(await signatures()).toEqual(['jws-kubeconfig-abcdef']);
    await secrets.delete('bootstrap-token-abcdef');
    await cluster.settled();
    expect(await signatures()).toEqual([]);
  });

  test('a token is deleted when it expires', async () => {
    const secrets = cluster.client.resource(refs.secrets, 'kube-system');
    const expiration = new Date(cluster.clock.now() + 60_000).toISOString();
    await secrets.create(tokenSecret('abcdef', { expiration }));
    await cluster.clock.advance('50s');
    expect((await secrets.list()).items.map(({ metadata }) => metadata.name)).toContain('bootstrap-token-abcdef');
    await cluster.clock.advance('11s');
    expect((await secrets.list()).items.map(({ metadata }) => metadata.name)).not.toContain('bootstrap-token-abcdef');
  });
});
