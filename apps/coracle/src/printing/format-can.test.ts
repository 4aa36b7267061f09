import { expect, test } from 'vitest';
import { type AccessQuestion, formatCan, parseResource } from './format-can.js';

const question = (more: Partial<AccessQuestion> = {}): AccessQuestion => ({
  user: 'jane',
  groups: [],
  verb: 'delete',
  apiGroup: 'apps',
  resource: 'deployments',
  subresource: '',
  name: '',
  namespace: 'default',
  ...more,
});

test.each([
  { text: 'pods', want: { resource: 'pods', apiGroup: '', subresource: '' } },
  { text: 'pods/log', want: { resource: 'pods', apiGroup: '', subresource: 'log' } },
  { text: 'deployments.apps/scale', want: { resource: 'deployments', apiGroup: 'apps', subresource: 'scale' } },
  {
    text: 'roles.rbac.authorization.k8s.io',
    want: { resource: 'roles', apiGroup: 'rbac.authorization.k8s.io', subresource: '' },
  },
])('$text', ({ text, want }) => {
  expect(parseResource(text)).toEqual(want);
});

test('names the binding that allows it', () => {
  const reason = 'RBAC: allowed by RoleBinding "b/default" of Role "r" to User "jane"';
  expect(formatCan(question(), { allowed: true, reason, roles: [] })).toBe(
    `jane can delete deployments.apps in the namespace default\n  ${reason}\n`,
  );
});

test('names the smallest role, and generates one for this permission alone', () => {
  const roles = [
    { kind: 'ClusterRole', name: 'edit', rights: 40 },
    { kind: 'ClusterRole', name: 'cluster-admin', rights: 1e6 },
  ] as const;
  expect(formatCan(question(), { allowed: false, reason: '', roles })).toBe(
    `jane cannot delete deployments.apps in the namespace default

The smallest role that allows it is ClusterRole edit:
  kubectl create rolebinding jane-edit --clusterrole=edit --user=jane -n default
So do ClusterRole cluster-admin.

A role for this alone:
  kubectl create role jane-delete-deployments --verb=delete --resource=deployments.apps -n default
  kubectl create rolebinding jane-delete-deployments --role=jane-delete-deployments --user=jane -n default
`,
  );
});

test('without a role that allows it, in the whole cluster, for a service account', () => {
  const user = 'system:serviceaccount:ci:robot';
  const accessQuestion = question({
    user,
    verb: 'get',
    resource: 'nodes',
    apiGroup: '',
    subresource: 'proxy',
    namespace: '',
  });
  expect(formatCan(accessQuestion, { allowed: false, reason: '', roles: [] })).toBe(
    `system:serviceaccount:ci:robot cannot get nodes/proxy in the whole cluster

No role allows it. One for this alone:
  kubectl create clusterrole robot-get-nodes --verb=get --resource=nodes/proxy
  kubectl create clusterrolebinding robot-get-nodes --clusterrole=robot-get-nodes --serviceaccount=ci:robot
`,
  );
});
