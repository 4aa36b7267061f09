import type { KubeObject } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { MemoryObjects } from '../../memory-objects.fixture.js';
import type { UserInfo } from '../../user-info.js';
import { accessTo, jane, rule } from '../access.fixture.js';
import { rbac } from './rbac-authorizer.js';
import type { PolicyRule } from './rule-match.js';

describe('AUTHZ-15 AUTHZ-20 RBAC', () => {
  const role = (name: string, rules: PolicyRule[], namespace?: string): KubeObject =>
    ({
      kind: namespace ? 'Role' : 'ClusterRole',
      metadata: { name, ...(namespace && { namespace }) },
      rules,
    }) as KubeObject;
  const binding = (to: string, subject: object, namespace?: string): KubeObject => {
    const [kind, name] = to.split('/');
    return {
      kind: namespace ? 'RoleBinding' : 'ClusterRoleBinding',
      metadata: { name: 'b', ...(namespace && { namespace }) },
      roleRef: { kind, name },
      subjects: [subject],
    } as KubeObject;
  };
  const readPods = [rule('get', 'pods')];
  const group = { kind: 'Group', name: 'dev' };
  const cases: { name: string; objects: KubeObject[]; user?: UserInfo; here: boolean; elsewhere: boolean }[] = [
    { name: 'nothing is bound', objects: [role('r', readPods)], here: false, elsewhere: false },
    {
      name: 'AUTHZ-17 everywhere, by group',
      objects: [role('r', readPods), binding('ClusterRole/r', group)],
      here: true,
      elsewhere: true,
    },
    {
      name: 'AUTHZ-18 everywhere, by name',
      objects: [role('r', readPods), binding('ClusterRole/r', { kind: 'User', name: 'jane' })],
      here: true,
      elsewhere: true,
    },
    {
      name: 'AUTHZ-17 a cluster role in one namespace',
      objects: [role('r', readPods), binding('ClusterRole/r', group, 'default')],
      here: true,
      elsewhere: false,
    },
    {
      name: 'AUTHZ-17 a role of the namespace',
      objects: [role('r', readPods, 'default'), binding('Role/r', group, 'default')],
      here: true,
      elsewhere: false,
    },
    {
      name: 'a role of another namespace',
      objects: [role('r', readPods, 'other'), binding('Role/r', group, 'default')],
      here: false,
      elsewhere: false,
    },
    { name: 'a role that is not there', objects: [binding('ClusterRole/r', group)], here: false, elsewhere: false },
    {
      name: 'another user',
      objects: [role('r', readPods), binding('ClusterRole/r', { kind: 'User', name: 'eve' })],
      here: false,
      elsewhere: false,
    },
    {
      name: 'AUTHZ-18 a service account',
      objects: [role('r', readPods), binding('ClusterRole/r', { kind: 'ServiceAccount', name: 'bot', namespace: 'x' })],
      user: { name: 'system:serviceaccount:x:bot', groups: [] },
      here: true,
      elsewhere: true,
    },
  ];

  test.each(cases)('$name', ({ objects, user = jane, here, elsewhere }) => {
    const authorizer = rbac(new MemoryObjects(objects));
    const allowed = (namespace: string) =>
      authorizer.authorize(accessTo('get pods a', { user, namespace })).kind === 'allow';

    expect({ here: allowed('default'), elsewhere: allowed('other') }).toEqual({ here, elsewhere });
  });

  test('reports why it allows', () => {
    const authorizer = rbac(new MemoryObjects([role('r', readPods), binding('ClusterRole/r', group, 'default')]));

    expect(authorizer.authorize(accessTo('get pods a'))).toEqual({
      kind: 'allow',
      reason: 'RBAC: allowed by RoleBinding "b/default" of ClusterRole "r" to Group "dev"',
    });
  });

  test('AUTHZ-19 reports missing roles, and continues with the others', () => {
    const objects = new MemoryObjects([binding('ClusterRole/gone', group), binding('Role/lost', group, 'default')]);
    const authorizer = rbac(objects);
    expect(authorizer.authorize(accessTo('get pods a'))).toEqual({
      kind: 'no-opinion',
      reason:
        'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "lost" not found]',
    });
    expect(authorizer.rulesFor?.(jane, 'other').evaluationError).toBe(
      'clusterrole.rbac.authorization.k8s.io "gone" not found',
    );
    objects.put(role('lost', readPods, 'default'));
    expect(authorizer.authorize(accessTo('get pods a')).kind).toBe('allow');
  });

  test('AUTHZ-21 drops its cached decisions when a role changes', () => {
    const objects = new MemoryObjects([role('r', readPods), binding('ClusterRole/r', group)]);
    const authorizer = rbac(objects);
    const allowed = () => authorizer.authorize(accessTo('get pods a')).kind;
    expect([allowed(), allowed()]).toEqual(['allow', 'allow']);

    objects.put(role('r', []));
    expect(allowed()).toBe('no-opinion');
    objects.put(role('r', readPods));
    expect(allowed()).toBe('allow');
  });

  test('AUTHZ-03 lists the permissions of a user', () => {
    const rules = [...readPods, { verbs: ['get'], nonResourceURLs: ['/healthz'] }];
    const authorizer = rbac(new MemoryObjects([role('r', rules), binding('ClusterRole/r', group)]));

    expect(authorizer.rulesFor?.(jane, 'default')).toEqual({
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }],
      incomplete: false,
    });
  });
});
