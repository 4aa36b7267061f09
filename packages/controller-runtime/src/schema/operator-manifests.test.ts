import { refs } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { CachedDiscovery, clientFor } from '@coracle/client';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineResource } from './define-resource.js';
import { operatorRole } from './operator-role.js';
import { operatorWorkload } from './operator-workload.js';
import { s } from './schema-builders.js';
import { userRoles } from './user-roles.js';

const Website = defineResource({ group: 'example.org', version: 'v1', kind: 'Website', spec: s.object({}) });
const people = ['admin', 'editor', 'viewer'];

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1 });
  const role = operatorRole('websites', { owns: [Website], writes: [refs.configMaps] });
  const discovery = new CachedDiscovery(cluster);
  const objects = [Website.crd, ...userRoles(Website), ...operatorWorkload('websites', { image: 'operator:1', role })];
  for (const manifest of [...objects, ...people.map(bindingOf)]) {
    const object = { ...manifest };
    await (await clientFor(object, { client: cluster.client, discovery })).create(object);
  }
  await cluster.clock.advance(60_000);
});
afterAll(() => cluster.stop());

function bindingOf(name: string): KubeObject {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `website-${name}-role` };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }];
  const object = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name } };
  return Object.assign(object, { roleRef, subjects });
}

/** Whether the server lets someone do it: `update websites/status`. */
async function may(user: string, action: string, namespace = 'default', group = 'example.org'): Promise<boolean> {
  const [verb = '', path = ''] = action.split(' ');
  const [resource = '', subresource] = path.split('/');
  const resourceAttributes = { verb, group, resource, namespace, ...(subresource && { subresource }) };
  const review = await cluster.client
    .subjectAccessReviews()
    .create({ metadata: {}, spec: { user, resourceAttributes } });
  return review.status?.allowed ?? false;
}

describe('KB-3 the roles for people', () => {
  test.each([
    { action: 'get websites', allowed: people },
    { action: 'watch websites', allowed: people },
    { action: 'get websites/status', allowed: people },
    { action: 'create websites', allowed: ['admin', 'editor'] },
    { action: 'delete websites', allowed: ['admin', 'editor'] },
    { action: 'deletecollection websites', allowed: ['admin'] },
    { action: 'update websites/status', allowed: [] },
    { action: 'get others', allowed: [] },
  ])('$action: $allowed', async ({ action, allowed }) => {
    const answers = await Promise.all(people.map((person) => may(person, action)));
    expect(people.filter((_, i) => answers[i])).toEqual(allowed);
  });
});

describe('KB-2 the operator', () => {
  const account = 'system:serviceaccount:websites-system:websites';

  test('runs under its own account', async () => {
    const { items } = await cluster.client.pods('websites-system').list();
    expect(items).toMatchObject([{ spec: { serviceAccountName: 'websites' }, status: { phase: 'Running' } }]);
  });

  test('meets the strictest pod security standard', async () => {
    const metadata = { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } };
    await cluster.client.namespaces().patch('websites-system', { metadata }, { type: 'merge' });
    const [pod] = (await cluster.client.pods('websites-system').list()).items;
    const { nodeName: _, ...spec } = pod?.spec ?? { containers: [] };
    const again = { metadata: { name: 'again', namespace: 'websites-system' }, spec };
    const pods = cluster.client.pods('websites-system');
    const root = { ...again, spec: { ...spec, securityContext: {} } };
    await expect(pods.create(root)).rejects.toThrow('violates PodSecurity "restricted:latest"');
    await expect(pods.create(again)).resolves.toMatchObject({ metadata: { name: 'again' } });
  });

  test.each([
    { action: 'update websites', group: 'example.org', namespace: 'default', allowed: true },
    { action: 'update websites/status', group: 'example.org', namespace: 'default', allowed: true },
    { action: 'create configmaps', group: '', namespace: 'default', allowed: true },
    { action: 'create events', group: 'events.k8s.io', namespace: 'default', allowed: true },
    { action: 'update leases', group: 'coordination.k8s.io', namespace: 'websites-system', allowed: true },
    { action: 'update leases', group: 'coordination.k8s.io', namespace: 'default', allowed: false },
    { action: 'get secrets', group: '', namespace: 'default', allowed: false },
  ])('may $action in $namespace: $allowed', async ({ action, group, namespace, allowed }) => {
    expect(await may(account, action, namespace, group)).toBe(allowed);
  });
});
