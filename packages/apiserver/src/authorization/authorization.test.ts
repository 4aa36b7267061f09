import { refs } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { reconcileRbac } from '../bootstrap/reconcile-rbac.js';
import { accessDenied } from '../filters/authorize.js';
import { MemoryObjects } from '../memory-objects.js';
import type { UserInfo } from '../user-info.js';
import type { AccessAttributes, Authorizer } from './authorizer.js';
import { authorizerByMode, privilegedGroup, union } from './authorizers.js';
import { nodeAuthorizer } from './node/node-authorizer.js';
import { describeRule, uncovered } from './rbac/covers.js';
import { rbac } from './rbac/rbac-authorizer.js';
import { type PolicyRule, ruleAllows } from './rbac/rule-match.js';

const jane: UserInfo = { name: 'jane', groups: ['dev', 'system:authenticated'] };

/** `get pods/log x` in a namespace, or `get /healthz`. */
function wanted(
  text: string,
  { user = jane, namespace = 'default', group = '' }: { user?: UserInfo; namespace?: string; group?: string } = {},
): AccessAttributes {
  const [verb = '', what = '', name = ''] = text.split(' ');
  const isResourceRequest = !what.startsWith('/');
  const [resource = '', subresource = ''] = isResourceRequest ? what.split('/') : [];
  return {
    user,
    verb,
    isResourceRequest,
    group,
    version: 'v1',
    resource,
    subresource,
    namespace,
    name,
    path: isResourceRequest ? '' : what,
  };
}

const rule = (verbs: string, resources: string, more: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs: verbs.split(','),
  apiGroups: [''],
  resources: resources.split(','),
  ...more,
});

describe('AUTHZ what a rule allows', () => {
  const cases: { name: string; rule: PolicyRule; yes: AccessAttributes[]; no: AccessAttributes[] }[] = [
    {
      name: 'verbs and resources by name',
      rule: rule('get,list', 'pods'),
      yes: [wanted('get pods a'), wanted('list pods')],
      no: [wanted('watch pods'), wanted('get secrets a')],
    },
    { name: 'not their subresources', rule: rule('get', 'pods'), yes: [], no: [wanted('get pods/log a')] },
    {
      name: 'subresources by name',
      rule: rule('get', 'pods/log'),
      yes: [wanted('get pods/log a')],
      no: [wanted('get pods a'), wanted('get pods/exec a')],
    },
    {
      name: 'a subresource of anything',
      rule: rule('update', '*/scale'),
      yes: [wanted('update deployments/scale a')],
      no: [wanted('update deployments a'), wanted('update deployments/status a')],
    },
    {
      name: 'everything of a group',
      rule: rule('*', '*'),
      yes: [wanted('delete pods/log a')],
      no: [wanted('get deployments a', { group: 'apps' })],
    },
    {
      name: 'every group',
      rule: rule('get', '*', { apiGroups: ['*'] }),
      yes: [wanted('get deployments a', { group: 'apps' })],
      no: [wanted('list deployments', { group: 'apps' })],
    },
    {
      name: 'single objects',
      rule: rule('get', 'pods', { resourceNames: ['a'] }),
      yes: [wanted('get pods a')],
      no: [wanted('get pods b'), wanted('list pods')],
    },
    {
      name: 'an asterisk is no name',
      rule: rule('get', 'pods', { resourceNames: ['*'] }),
      yes: [],
      no: [wanted('get pods a')],
    },
    {
      name: 'a path',
      rule: { verbs: ['get'], nonResourceURLs: ['/healthz'] },
      yes: [wanted('get /healthz')],
      no: [wanted('get /healthz/etcd'), wanted('post /healthz'), wanted('get pods a')],
    },
    {
      name: 'paths below one',
      rule: { verbs: ['get'], nonResourceURLs: ['/healthz/*'] },
      yes: [wanted('get /healthz/etcd')],
      no: [wanted('get /healthz')],
    },
    {
      name: 'all paths',
      rule: { verbs: ['*'], nonResourceURLs: ['*'] },
      yes: [wanted('get /metrics')],
      no: [wanted('get pods a')],
    },
  ];

  test.each(cases)('$name', ({ rule: one, yes, no }) => {
    expect([yes.map((access) => ruleAllows(one, access)), no.map((access) => ruleAllows(one, access))]).toEqual([
      yes.map(() => true),
      no.map(() => false),
    ]);
  });
});

describe('AUTHZ what one must hold to grant a rule', () => {
  const cases: { name: string; held: PolicyRule[]; wanted: PolicyRule[]; missing: string[] }[] = [
    { name: 'the same', held: [rule('get', 'pods')], wanted: [rule('get', 'pods')], missing: [] },
    {
      name: 'more',
      held: [rule('*', '*', { apiGroups: ['*'] })],
      wanted: [rule('get,delete', 'pods,secrets')],
      missing: [],
    },
    {
      name: 'several together',
      held: [rule('get', 'pods'), rule('list', 'pods')],
      wanted: [rule('get,list', 'pods')],
      missing: [],
    },
    {
      name: 'less',
      held: [rule('get', 'pods')],
      wanted: [rule('get,list', 'pods')],
      missing: ['{APIGroups:[""], Resources:["pods"], Verbs:["list"]}'],
    },
    {
      name: 'an asterisk is more than all names',
      held: [rule('get,list', 'pods')],
      wanted: [rule('*', 'pods')],
      missing: ['{APIGroups:[""], Resources:["pods"], Verbs:["*"]}'],
    },
    {
      name: 'one object is less than all',
      held: [rule('get', 'pods', { resourceNames: ['a'] })],
      wanted: [rule('get', 'pods')],
      missing: ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
    },
    {
      name: 'all are more than one object',
      held: [rule('get', 'pods')],
      wanted: [rule('get', 'pods', { resourceNames: ['a'] })],
      missing: [],
    },
    {
      name: 'an object named by an asterisk is not all objects',
      held: [rule('get', 'pods', { resourceNames: ['*'] })],
      wanted: [rule('get', 'pods', { resourceNames: ['a'] })],
      missing: ['{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get"]}'],
    },
    {
      name: 'a subresource of anything',
      held: [rule('get', '*/scale')],
      wanted: [rule('get', 'pods/scale')],
      missing: [],
    },
    {
      name: 'paths',
      held: [{ verbs: ['get'], nonResourceURLs: ['/a/*'] }],
      wanted: [{ verbs: ['get'], nonResourceURLs: ['/a/b', '/c'] }],
      missing: ['{NonResourceURLs:["/c"], Verbs:["get"]}'],
    },
  ];

  test.each(cases)('$name', ({ held, wanted: asked, missing }) => {
    expect(uncovered(held, asked).map(describeRule)).toEqual(missing);
  });
});

describe('AUTHZ RBAC', () => {
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
    } as unknown as KubeObject;
  };
  const readPods = [rule('get', 'pods')];
  const group = { kind: 'Group', name: 'dev' };
  const cases: { name: string; objects: KubeObject[]; user?: UserInfo; here: boolean; elsewhere: boolean }[] = [
    { name: 'nothing is bound', objects: [role('r', readPods)], here: false, elsewhere: false },
    {
      name: 'everywhere, by group',
      objects: [role('r', readPods), binding('ClusterRole/r', group)],
      here: true,
      elsewhere: true,
    },
    {
      name: 'everywhere, by name',
      objects: [role('r', readPods), binding('ClusterRole/r', { kind: 'User', name: 'jane' })],
      here: true,
      elsewhere: true,
    },
    {
      name: 'a cluster role in one namespace',
      objects: [role('r', readPods), binding('ClusterRole/r', group, 'default')],
      here: true,
      elsewhere: false,
    },
    {
      name: 'a role of the namespace',
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
      name: 'somebody else',
      objects: [role('r', readPods), binding('ClusterRole/r', { kind: 'User', name: 'eve' })],
      here: false,
      elsewhere: false,
    },
    {
      name: 'a service account',
      objects: [role('r', readPods), binding('ClusterRole/r', { kind: 'ServiceAccount', name: 'bot', namespace: 'x' })],
      user: { name: 'system:serviceaccount:x:bot', groups: [] },
      here: true,
      elsewhere: true,
    },
  ];

  test.each(cases)('$name', ({ objects, user = jane, here, elsewhere }) => {
    const authorizer = rbac(new MemoryObjects(objects));
    const allowed = (namespace: string) =>
      authorizer.authorize(wanted('get pods a', { user, namespace })).kind === 'allow';

    expect({ here: allowed('default'), elsewhere: allowed('other') }).toEqual({ here, elsewhere });
  });

  test('tells why it allows', () => {
    const authorizer = rbac(new MemoryObjects([role('r', readPods), binding('ClusterRole/r', group, 'default')]));

    expect(authorizer.authorize(wanted('get pods a'))).toEqual({
      kind: 'allow',
      reason: 'RBAC: allowed by RoleBinding "b/default" of ClusterRole "r" to Group "dev"',
    });
  });

  test('forgets its decisions when a role changes', () => {
    const objects = new MemoryObjects([role('r', readPods), binding('ClusterRole/r', group)]);
    const authorizer = rbac(objects);
    const allowed = () => authorizer.authorize(wanted('get pods a')).kind;
    expect([allowed(), allowed()]).toEqual(['allow', 'allow']);

    objects.put(role('r', []));
    expect(allowed()).toBe('no-opinion');
    objects.put(role('r', readPods));
    expect(allowed()).toBe('allow');
  });

  test('lists what a user may do', () => {
    const rules = [...readPods, { verbs: ['get'], nonResourceURLs: ['/healthz'] }];
    const authorizer = rbac(new MemoryObjects([role('r', rules), binding('ClusterRole/r', group)]));

    expect(authorizer.rulesFor?.(jane, 'default')).toEqual({
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }],
      incomplete: false,
    });
  });
});

describe('AUTHZ several modes', () => {
  test('the first that decides ends it, and reasons of the others are kept', () => {
    const allow = { name: 'a', authorize: () => ({ kind: 'allow', reason: 'yes' }) as const };
    const deny = { name: 'd', authorize: () => ({ kind: 'deny', reason: 'never' }) as const };
    const alwaysDeny = authorizerByMode['AlwaysDeny']?.(new MemoryObjects()) as Authorizer;
    const access = wanted('get pods a');

    expect([
      union([alwaysDeny, allow]).authorize(access),
      union([deny, allow]).authorize(access),
      union([alwaysDeny, alwaysDeny]).authorize(access),
    ]).toEqual([
      { kind: 'allow', reason: 'yes' },
      { kind: 'deny', reason: 'never' },
      { kind: 'no-opinion', reason: 'Everything is forbidden.\nEverything is forbidden.' },
    ]);
  });

  test('administrators may do everything', () => {
    const admin = { name: 'root', groups: ['system:masters'] };

    expect(privilegedGroup.authorize(wanted('delete nodes a', { user: admin })).kind).toBe('allow');
  });

  test.each([
    {
      access: wanted('list pods'),
      message: 'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
    },
    {
      access: wanted('get pods/log a'),
      message:
        'pods "a" is forbidden: User "jane" cannot get resource "pods/log" in API group "" in the namespace "default"',
    },
    {
      access: wanted('get nodes a', { namespace: '' }),
      message: 'nodes "a" is forbidden: User "jane" cannot get resource "nodes" in API group "" at the cluster scope',
    },
    {
      access: wanted('get deployments a', { group: 'apps' }),
      message:
        'deployments.apps "a" is forbidden: User "jane" cannot get resource "deployments" in API group "apps" in the namespace "default"',
    },
    { access: wanted('get /metrics'), message: 'forbidden: User "jane" cannot get path "/metrics"' },
  ])('a refusal reads: $message', ({ access, message }) => {
    expect(accessDenied(access, '').message).toBe(message);
  });
});

describe('AUTHZ Node', () => {
  const node: UserInfo = { name: 'system:node:n1', groups: ['system:nodes'] };
  const pod = (name: string, nodeName: string, spec: object): KubeObject =>
    ({
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { nodeName, containers: [], ...spec },
    }) as KubeObject;
  const objects = new MemoryObjects([
    pod('mine', 'n1', {
      serviceAccountName: 'bot',
      imagePullSecrets: [{ name: 'pull' }],
      volumes: [
        { secret: { secretName: 'vol' } },
        { persistentVolumeClaim: { claimName: 'data' } },
        { projected: { sources: [{ configMap: { name: 'ca' } }] } },
      ],
      containers: [
        {
          name: 'c',
          env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'env', key: 'k' } } }],
          envFrom: [{ configMapRef: { name: 'conf' } }],
        },
      ],
    }),
    pod('other', 'n2', { volumes: [{ secret: { secretName: 'foreign' } }] }),
    {
      kind: 'PersistentVolume',
      metadata: { name: 'pv' },
      spec: { claimRef: { namespace: 'default', name: 'data' } },
    } as unknown as KubeObject,
  ]);
  const authorizer = nodeAuthorizer(objects);
  const allowed = (text: string, more: { namespace?: string; group?: string; fieldSelector?: string } = {}) =>
    authorizer.authorize({
      ...wanted(text, { user: node, ...more }),
      ...(more.fieldSelector && { fieldSelector: more.fieldSelector }),
    }).kind === 'allow';

  test.each([
    'get secrets vol',
    'get secrets env',
    'get secrets pull',
    'get configmaps conf',
    'get configmaps ca',
    'watch secrets vol',
    'get persistentvolumeclaims data',
    'create serviceaccounts/token bot',
    'get pods mine',
    'create pods mirror',
    'update pods/status mine',
    'create events e',
  ])('may %s', (text) => {
    expect(allowed(text)).toBe(true);
  });

  test.each([
    'get secrets foreign',
    'list secrets',
    'delete secrets vol',
    'get configmaps unknown',
    'get pods other',
    'list pods',
    'create serviceaccounts/token admin',
    'update persistentvolumeclaims data',
  ])('may not %s', (text) => {
    expect(allowed(text)).toBe(false);
  });

  test('reads its own Node, lease, volumes and pods, and nobody else’s', () => {
    const lease = { namespace: 'kube-node-lease', group: 'coordination.k8s.io' };

    expect([
      allowed('get nodes n1', { namespace: '' }),
      allowed('get nodes n2', { namespace: '' }),
      allowed('update leases n1', lease),
      allowed('update leases n2', lease),
      allowed('get leases n1', { ...lease, namespace: 'default' }),
      allowed('get persistentvolumes pv', { namespace: '' }),
      allowed('list pods', { fieldSelector: 'spec.nodeName=n1' }),
      allowed('list pods', { fieldSelector: 'spec.nodeName=n2' }),
    ]).toEqual([true, false, true, false, false, true, true, false]);
  });

  test('others are none of its business', () => {
    expect([
      authorizer.authorize(wanted('get secrets vol')),
      authorizer.authorize(wanted('get secrets vol', { user: { name: 'system:node:n1', groups: [] } })),
    ]).toEqual([
      { kind: 'no-opinion', reason: '' },
      { kind: 'no-opinion', reason: '' },
    ]);
  });
});

describe('AUTHZ default roles', () => {
  /** Reconciles over what is there, and gives what was written: `create x`, `update x`. */
  async function reconcile(...present: KubeObject[]) {
    const objects = new MemoryObjects(present);
    const log: string[] = [];
    const writer = {
      create: async <T extends KubeObject>(_ref: unknown, object: T) => {
        objects.put(object);
        log.push(`create ${object.kind} ${object.metadata.name}`);
        return object;
      },
      update: async (
        ref: ResourceRef<KubeObject>,
        namespace: string,
        name: string,
        change: (one: KubeObject) => KubeObject,
      ) => {
        const changed = change(objects.get(ref, namespace, name) as KubeObject);
        objects.put(changed);
        log.push(`update ${changed.kind} ${name}`);
        return changed;
      },
    };
    await reconcileRbac({ objects, writer: writer as never });
    return { objects, log };
  }

  test('are all made in a new cluster, and left alone after that', async () => {
    const { objects, log } = await reconcile();
    expect(log).toContain('create ClusterRole cluster-admin');
    expect(log.every((line) => line.startsWith('create'))).toBe(true);

    const all = [refs.clusterRoles, refs.clusterRoleBindings, refs.roles, refs.roleBindings].flatMap((ref) => [
      ...objects.list<KubeObject>(ref as ResourceRef<KubeObject>),
    ]);
    expect((await reconcile(...all)).log).toEqual([]);
  });

  const discovery = (rules: PolicyRule[], annotations: Record<string, string> = {}): KubeObject =>
    ({ kind: 'ClusterRole', metadata: { name: 'system:discovery', annotations }, rules }) as KubeObject;
  const own: PolicyRule = { verbs: ['get'], nonResourceURLs: ['/mine'] };

  test('get back what they lack, and keep what was added', async () => {
    const { objects, log } = await reconcile(discovery([own]));
    expect(log).toContain('update ClusterRole system:discovery');

    const { rules = [] } = objects.get(refs.clusterRoles, '', 'system:discovery') ?? {};
    expect(rules[0]).toEqual(own);
    expect(rules.some((one) => ruleAllows(one, wanted('get /healthz')))).toBe(true);
  });

  test('are not touched when they say so', async () => {
    const { log } = await reconcile(discovery([own], { 'rbac.authorization.kubernetes.io/autoupdate': 'false' }));

    expect(log).not.toContain('update ClusterRole system:discovery');
  });

  test('bindings get their subjects back, and keep others', async () => {
    const eve = { kind: 'User', name: 'eve' };
    const { objects } = await reconcile({
      kind: 'ClusterRoleBinding',
      metadata: { name: 'cluster-admin' },
      roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [eve],
    } as unknown as KubeObject);

    expect(objects.get(refs.clusterRoleBindings, '', 'cluster-admin')?.subjects).toMatchObject([
      eve,
      { kind: 'Group', name: 'system:masters' },
    ]);
  });
});
