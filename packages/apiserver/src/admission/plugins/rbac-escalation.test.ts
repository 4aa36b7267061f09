import { refs } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import type { Authorizer } from '../../authorization/authorizer.js';
import { MemoryObjects } from '../../memory-objects.fixture.js';
import { startTestServer } from '../../server.fixture.js';
import type { AdmissionPlugin } from '../admission.js';
import { admit, thing, type Write } from './admit.fixture.js';
import { rbacEscalation } from './rbac-escalation.js';

describe('AUTHZ-23 RBAC escalation', () => {
  const held = [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }];
  function plugin(allowed: string[] = [], objects: KubeObject[] = []): AdmissionPlugin {
    const authorizer: Authorizer = {
      name: 'test',
      authorize: ({ verb, resource, name }) => ({
        kind: allowed.includes(`${verb} ${resource} ${name}`) ? 'allow' : 'no-opinion',
        reason: '',
      }),
      rulesFor: () => ({ resourceRules: held, nonResourceRules: [], incomplete: false }),
    };
    return rbacEscalation({ objects: new MemoryObjects(objects), authorizer });
  }
  const rule = (verb: string) => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] });
  const role = (...verbs: string[]) => thing('ClusterRole', 'r', { rules: verbs.map(rule) });
  const collecting = thing('ClusterRole', 'r', { aggregationRule: { clusterRoleSelectors: [{}] } });
  const binding = thing('ClusterRoleBinding', 'b', { roleRef: { kind: 'ClusterRole', name: 'r' }, subjects: [] });
  const roles = { resource: 'rbac.authorization.k8s.io/clusterroles', namespace: '' };
  const bindings = { resource: 'rbac.authorization.k8s.io/clusterrolebindings', namespace: '' };
  const refusal =
    'user "jane" (groups=["dev"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}';
  const cases: { name: string; plugin: AdmissionPlugin; write: Write; error?: string }[] = [
    { name: 'one grants what one has', plugin: plugin(), write: { ...roles, object: role('get') } },
    {
      name: 'and no more',
      plugin: plugin(),
      write: { ...roles, object: role('get', 'delete') },
      error: `clusterroles.rbac.authorization.k8s.io "r" is forbidden: ${refusal}`,
    },
    {
      name: 'unless one may escalate',
      plugin: plugin(['escalate clusterroles r']),
      write: { ...roles, object: role('delete') },
    },
    {
      name: 'what stays as it was is not asked about',
      plugin: plugin(),
      write: { ...roles, operation: 'UPDATE', object: role('delete'), oldObject: role('delete') },
    },
    {
      name: 'nor is who owns it',
      plugin: plugin(),
      write: {
        ...roles,
        operation: 'UPDATE',
        object: { ...role('delete'), metadata: { name: 'r', finalizers: ['x'], resourceVersion: '2' } },
        oldObject: { ...role('delete'), metadata: { name: 'r', resourceVersion: '1' } },
      },
    },
    {
      name: 'but another label is, by which others collect it',
      plugin: plugin(),
      write: {
        ...roles,
        operation: 'UPDATE',
        object: { ...role('delete'), metadata: { name: 'r', labels: { 'example.com/aggregate-to-edit': 'true' } } },
        oldObject: role('delete'),
      },
      error: `clusterroles.rbac.authorization.k8s.io "r" is forbidden: ${refusal}`,
    },
    {
      name: 'administrators are not asked',
      plugin: plugin(),
      write: { ...roles, object: role('delete'), user: { name: 'root', groups: ['system:masters'] } },
    },
    {
      name: 'to aggregate one must have everything',
      plugin: plugin(),
      write: { ...roles, object: collecting },
      error:
        'clusterroles.rbac.authorization.k8s.io "r" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    },
    {
      name: 'and to end it',
      plugin: plugin(),
      write: { ...roles, operation: 'UPDATE', object: role('get'), oldObject: collecting },
      error:
        'clusterroles.rbac.authorization.k8s.io "r" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    },
    {
      name: 'but not to collect nothing, which is wrong in another way',
      plugin: plugin(),
      write: { ...roles, object: thing('ClusterRole', 'r', { aggregationRule: { clusterRoleSelectors: [] } }) },
    },
    { name: 'one binds what one has', plugin: plugin([], [role('list')]), write: { ...bindings, object: binding } },
    {
      name: 'and no more',
      plugin: plugin([], [role('delete')]),
      write: { ...bindings, object: binding },
      error: `clusterrolebindings.rbac.authorization.k8s.io "b" is forbidden: ${refusal}`,
    },
    {
      name: 'unless one may bind it',
      plugin: plugin(['bind clusterroles r'], [role('delete')]),
      write: { ...bindings, object: binding },
    },
    {
      name: 'a role that is not there cannot be bound',
      plugin: plugin(),
      write: { ...bindings, object: binding },
      error: 'clusterroles.rbac.authorization.k8s.io "r" not found',
    },
  ];

  test.each(cases)('$name', async ({ plugin: one, write, error }) => {
    expect((await admit(one, write)).error).toBe(error);
  });
});

/** Every request is Jane's, who may write everything but has no other permissions. */
function startForJane() {
  const authorizer: Authorizer = {
    name: 'test',
    authorize: ({ verb }) => ({ kind: verb === 'escalate' ? 'no-opinion' : 'allow', reason: '' }),
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
  return startTestServer({
    authenticators: () => [{ name: 'Jane', authenticate: () => ({ user: { name: 'jane', groups: ['dev'] } }) }],
    authorizer: () => authorizer,
    admission: ({ objects }) => [rbacEscalation({ objects, authorizer })],
  });
}

test('AUTHZ-23 a user without permissions to grant may change the owners of a role', async () => {
  const { call, server } = await startForJane();
  const role = { metadata: { name: 'r' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] };
  await server.writer.create(refs.clusterRoles, role);
  const patch = (metadata: object) =>
    call(
      'PATCH',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/r',
      { metadata },
      { 'content-type': 'application/merge-patch+json' },
    );
  expect([
    (await patch({ finalizers: ['example.com/x'] })).status,
    (await patch({ labels: { a: 'b' } })).status,
  ]).toEqual([200, 403]);
});

test('AUTHZ-23 a user who may not grant a role is rejected before the role is validated', async () => {
  const { call } = await startForJane();
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }, { verbs: [] }];
  const { status, body } = await call('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', {
    metadata: { name: 'r' },
    rules,
  });
  expect([status, body.reason]).toEqual([403, 'Forbidden']);
});
