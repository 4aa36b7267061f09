import { describe, expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnUpdate, withDefaults } from '../../rules.fixture.js';

const apiVersion = 'rbac.authorization.k8s.io/v1';
const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const role = { apiVersion, kind: 'Role', metadata: { name: 'r' }, rules: [rule] };
const clusterRole = { ...role, kind: 'ClusterRole' };
const binding = {
  apiVersion,
  kind: 'RoleBinding',
  metadata: { name: 'b' },
  roleRef: { kind: 'Role', name: 'r' },
  subjects: [
    { kind: 'User', name: 'ann' },
    { kind: 'ServiceAccount', name: 'sa', namespace: 'n' },
  ],
};

describe('roles', () => {
  test.each<[string, Changes, string[]]>([
    [
      'a rule allows something',
      { 'rules.0.verbs': [] },
      ['rules[0].verbs: Required value: verbs must contain at least one value'],
    ],
    [
      'on something',
      { 'rules.0.resources': [] },
      ['rules[0].resources: Required value: resource rules must supply at least one resource'],
    ],
    [
      'within the namespace',
      { 'rules.0': { nonResourceURLs: ['/x'], verbs: ['get'] } },
      ['rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs'],
    ],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(role, changes)).toEqual(want);
  });

  test('a cluster role may allow paths, but not in a rule for resources', () => {
    expect(problemsOnCreate(clusterRole, { 'rules.0': { nonResourceURLs: ['/x'], verbs: ['get'] } })).toEqual([]);
    expect(problemsOnCreate(clusterRole, { 'rules.0.nonResourceURLs': ['/x'] })).toEqual([
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
    ]);
  });

  test('an aggregated cluster role has selectors', () => {
    expect(problemsOnCreate(clusterRole, { aggregationRule: {} })).toEqual([
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ]);
  });
});

describe('bindings', () => {
  test('users and groups are of the group itself, service accounts of the core', () => {
    const { subjects, roleRef } = withDefaults(binding);
    expect(roleRef.apiGroup).toBe('rbac.authorization.k8s.io');
    expect(subjects.map(({ apiGroup }: { apiGroup?: string }) => apiGroup)).toEqual([
      'rbac.authorization.k8s.io',
      undefined,
    ]);
  });

  test.each<[string, Changes, string[]]>([
    [
      'a binding is to a role',
      { 'roleRef.kind': 'Pod' },
      ['roleRef.kind: Unsupported value: "Pod": supported values: "Role", "ClusterRole"'],
    ],
    [
      'for a known kind of subject',
      { 'subjects.0.kind': 'Robot' },
      ['subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
    ],
    ['with a name', { 'subjects.0.name': '' }, ['subjects[0].name: Required value']],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(binding, changes)).toEqual(want);
  });

  test('a service account in a cluster role binding has a namespace', () => {
    const whole = { ...binding, kind: 'ClusterRoleBinding', roleRef: { kind: 'ClusterRole', name: 'r' } };
    expect(problemsOnCreate(whole, { 'subjects.1.namespace': undefined })).toEqual([
      'subjects[1].namespace: Required value',
    ]);
  });

  test('the role of a binding stays', () => {
    expect(problemsOnUpdate(binding, { 'roleRef.name': 'other' })).toEqual([
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"other"}: cannot change roleRef',
    ]);
  });
});
