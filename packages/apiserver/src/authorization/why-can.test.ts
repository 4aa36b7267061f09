import type { KubeObject } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { MemoryObjects } from '../memory-objects.fixture.js';
import { startTestServer } from '../server.fixture.js';
import { accessTo, rule } from './access.fixture.js';
import { rbac } from './rbac/rbac-authorizer.js';
import type { PolicyRule } from './rbac/rule-match.js';
import { explainAccess, whyCanEndpoints } from './why-can.js';

const role = (name: string, rules: readonly PolicyRule[], namespace?: string) =>
  ({
    kind: namespace ? 'Role' : 'ClusterRole',
    metadata: { name, ...(namespace && { namespace }) },
    rules,
  }) as KubeObject;
const bound = {
  kind: 'RoleBinding',
  metadata: { name: 'janes', namespace: 'default' },
  roleRef: { kind: 'ClusterRole', name: 'view' },
  subjects: [{ kind: 'User', name: 'jane' }],
} as KubeObject;

const roles = [
  role('cluster-admin', [rule('*', '*', { apiGroups: ['*'] })]),
  role('edit', [rule('get,list,create,delete', 'pods,secrets'), rule('get', 'nodes')]),
  role('deleter', [rule('delete', 'pods')], 'default'),
  role('deletes-one', [rule('delete', 'pods', { resourceNames: ['web'] })], 'default'),
  role('elsewhere', [rule('delete', 'pods')], 'other'),
  role('view', [rule('get,list', 'pods')]),
  role('system:controller:pod-lister', [rule('list', 'pods')]),
  role('system:drainer', [rule('create', 'pods/eviction')]),
  role('health', [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/healthz/*'] }]),
  bound,
];

describe('why a user can do something', () => {
  const objects = new MemoryObjects(roles);
  const authorizer = rbac(objects);
  const explain = (text: string, options = {}) => explainAccess(accessTo(text, options), { objects, authorizer });
  const names = async (text: string, options = {}) => (await explain(text, options)).roles.map(({ name }) => name);

  test('names the binding that allows it', async () => {
    const { allowed, reason, roles: others } = await explain('get pods');
    expect({ allowed, others }).toEqual({ allowed: true, others: [] });
    expect(reason).toContain('RoleBinding "janes/default" of ClusterRole "view" to User "jane"');
  });

  test.each([
    { text: 'delete pods', want: ['deleter', 'edit', 'cluster-admin'] },
    { text: 'delete pods web', want: ['deletes-one', 'deleter', 'edit', 'cluster-admin'] },
    { text: 'delete pods', namespace: '', want: ['edit', 'cluster-admin'] },
    {
      text: 'list pods',
      user: { name: 'joe', groups: [] },
      want: ['view', 'edit', 'system:controller:pod-lister', 'cluster-admin'],
    },
    { text: 'create pods/eviction', want: ['system:drainer', 'cluster-admin'] },
    { text: 'get /healthz/ready', want: ['health'] },
    { text: 'patch nodes', want: ['cluster-admin'] },
  ])('names the smallest roles that would: $text', async ({ text, want, ...options }) => {
    expect(await names(text, options)).toEqual(want);
  });
});

describe('GET /debug/coracle/can', () => {
  const start = () => startTestServer({ endpoints: ({ objects }) => whyCanEndpoints(objects, rbac(objects)) });

  test('explains for users, and for service accounts with their groups', async () => {
    const { call } = await start();
    const reads = [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }];
    const rbacPath = '/apis/rbac.authorization.k8s.io/v1';
    await call('POST', `${rbacPath}/clusterroles`, { metadata: { name: 'reader' }, rules: reads });
    const binding = {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
      subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:serviceaccounts:ci' }],
    };
    await call('POST', `${rbacPath}/clusterrolebindings`, { metadata: { name: 'ci' }, ...binding });
    const ask = async (query: string) => (await call('GET', `/debug/coracle/can?${query}`)).body;
    const account = 'user=system:serviceaccount:ci:robot&verb=get&resource=configmaps&namespace=default';
    expect(await ask('user=jane&verb=get&resource=configmaps&namespace=default')).toMatchObject({
      allowed: false,
      roles: [{ kind: 'ClusterRole', name: 'reader', rights: 1 }],
    });
    expect(await ask(account)).toMatchObject({ allowed: true, reason: expect.stringContaining('"ci"') });
  });

  test.each(['verb=get&resource=pods', 'user=jane&verb=get', 'user=jane&verb=get&resource=pods&path=/healthz'])(
    'refuses half a question: %s',
    async (query) => {
      const { call } = await start();
      expect((await call('GET', `/debug/coracle/can?${query}`)).status).toBe(400);
    },
  );
});
