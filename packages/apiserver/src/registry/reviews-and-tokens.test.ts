import { refs } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, seed: 1 });
  await cluster.settled();
  await create('v1', 'ServiceAccount', 'serviceAccounts', { metadata: { name: 'bot' } });
  await create('rbac.authorization.k8s.io/v1', 'RoleBinding', 'roleBindings', {
    metadata: { name: 'bot-views' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'ServiceAccount', name: 'bot', namespace: 'default' }],
  });
  await create('v1', 'Pod', 'pods', {
    metadata: { name: 'web' },
    spec: { serviceAccountName: 'bot', containers: [{ name: 'c', image: 'i' }] },
  });
  await cluster.settled();
});
afterAll(() => cluster.stop());

/** The object that the server returns, or the message of its error. */
async function create(
  apiVersion: string,
  kind: string,
  ref: keyof typeof refs,
  body: object,
  namespace = 'default',
): Promise<Record<string, unknown>> {
  const target = refs[ref] as { namespaced: boolean };
  const client = cluster.client.resource<KubeObject>(refs[ref] as never, target.namespaced ? namespace : undefined);
  return (await client
    .create({ apiVersion, kind, metadata: {}, ...body } as KubeObject)
    .catch((error: Error) => ({ refused: error.message }))) as Record<string, unknown>;
}

const bot = 'system:serviceaccount:default:bot';
const authorization = 'authorization.k8s.io/v1';

describe('AUTHZ-02 RES-17 access reviews', () => {
  const review = async (spec: object) =>
    (await create(authorization, 'SubjectAccessReview', 'subjectAccessReviews', { spec }))['status'];
  const getPods = { verb: 'get', resource: 'pods', namespace: 'default' };

  test('report whether the user may, and why', async () => {
    expect(await review({ user: bot, resourceAttributes: getPods })).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "bot-views/default" of ClusterRole "view" to ServiceAccount "bot/default"',
    });
    expect(await review({ user: bot, resourceAttributes: { ...getPods, namespace: 'kube-system' } })).toEqual({
      allowed: false,
    });
  });

  test('have the namespace of their request, and nothing that only the server sets', async () => {
    const local = await create(authorization, 'LocalSubjectAccessReview', 'localSubjectAccessReviews', {
      spec: { user: bot, resourceAttributes: getPods },
    });
    expect(local['metadata']).toMatchObject({ namespace: 'default' });
    const metadata = { name: 'n', namespace: 'x', uid: 'u', deletionGracePeriodSeconds: 5 };
    const plain = await create(authorization, 'SubjectAccessReview', 'subjectAccessReviews', {
      metadata,
      spec: { user: bot, resourceAttributes: getPods },
    });
    const { managedFields: _, ...rest } = plain['metadata'] as Record<string, unknown>;
    expect(rest).toEqual({ name: 'n' });
  });

  test('report groups and paths', async () => {
    expect(
      await review({ groups: ['system:masters'], resourceAttributes: { verb: '*', resource: '*', group: '*' } }),
    ).toMatchObject({ allowed: true });
    expect(
      await review({
        user: 'x',
        groups: ['system:authenticated'],
        nonResourceAttributes: { verb: 'get', path: '/healthz' },
      }),
    ).toMatchObject({ allowed: true });
    expect(await review({ user: 'x', nonResourceAttributes: { verb: 'get', path: '/logs' } })).toEqual({
      allowed: false,
    });
  });

  test('AUTHZ-22 an account has no permissions until a role is bound to it, and then only those', async () => {
    const listPods = { verb: 'list', resource: 'pods', namespace: 'default' };
    const user = 'system:serviceaccount:default:default';
    const groups = ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'];
    const mayList = async () =>
      ((await review({ user, groups, resourceAttributes: listPods })) as { allowed: boolean }).allowed;
    expect(await mayList()).toBe(false);
    const metadata = { name: 'default-reads' };
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }];
    await create('rbac.authorization.k8s.io/v1', 'Role', 'roles', { metadata, rules });
    await create('rbac.authorization.k8s.io/v1', 'RoleBinding', 'roleBindings', {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'default-reads' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
    });
    await cluster.settled();
    expect(await mayList()).toBe(true);
    expect(await review({ user, groups, nonResourceAttributes: { verb: 'get', path: '/' } })).toEqual({
      allowed: false,
    });
  });

  test('about oneself', async () => {
    const { status } = await create(authorization, 'SelfSubjectAccessReview', 'selfSubjectAccessReviews', {
      spec: { resourceAttributes: getPods },
    });

    expect(status).toMatchObject({ allowed: true });
  });

  test('in a namespace refer to that namespace', async () => {
    const local = (namespace: string) =>
      create(authorization, 'LocalSubjectAccessReview', 'localSubjectAccessReviews', {
        spec: { user: bot, resourceAttributes: { ...getPods, namespace } },
      });

    expect((await local('default'))['status']).toMatchObject({ allowed: true });
    expect((await local('other'))['refused']).toBe('spec.resourceAttributes.namespace must match namespace: default');
  });

  test.each([
    { name: 'nothing is asked', spec: { user: 'x' } },
    {
      name: 'two things are asked',
      spec: { user: 'x', resourceAttributes: getPods, nonResourceAttributes: { verb: 'get', path: '/' } },
    },
    { name: 'no user is named', spec: { resourceAttributes: getPods } },
  ])('are refused when $name', async ({ spec }) => {
    expect((await create(authorization, 'SubjectAccessReview', 'subjectAccessReviews', { spec }))['refused']).toContain(
      'invalid',
    );
  });
});

async function token(
  spec: object = {},
  account = 'bot',
): Promise<{
  status?: { token: string; expirationTimestamp: string };
  spec?: { audiences: string[] };
  refused?: string;
}> {
  const accounts = cluster.client.resource(refs.serviceAccounts, 'default');
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec };
  return (await accounts
    .createSubresource(account, 'token', body as never)
    .catch((error: Error) => ({ refused: error.message }))) as never;
}

async function reviewToken(value: string, audiences?: string[]): Promise<Record<string, unknown>> {
  const spec = { token: value, ...(audiences && { audiences }) };
  return (await create('authentication.k8s.io/v1', 'TokenReview', 'tokenReviews', { spec }))['status'] as Record<
    string,
    unknown
  >;
}

describe('SA-10 RES-15 tokens on request', () => {
  test.each([
    [{ name: 'other' }, 'metadata.name: Invalid value: "other": must match the service account name if specified'],
    [{ namespace: 'other' }, 'the namespace of the provided object does not match the namespace sent on the request'],
  ])('are refused with the metadata %j of another account', async (metadata, problem) => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec: {} };
    const accounts = cluster.client.resource(refs.serviceAccounts, 'default');
    await expect(accounts.createSubresource('bot', 'token', body as never)).rejects.toThrow(problem);
  });

  test('have their audience, for an hour', async () => {
    const { status, spec } = await token();
    expect(Date.parse(status?.expirationTimestamp ?? '') - cluster.clock.now()).toBeGreaterThan(3_598_000);

    expect(await reviewToken(status?.token ?? '')).toMatchObject({
      authenticated: true,
      audiences: spec?.audiences,
      user: {
        username: bot,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      },
    });
  });

  test('are returned with the metadata of the request', async () => {
    const { metadata } = (await token({ expirationSeconds: 700 })) as KubeObject;
    expect(metadata).toEqual({
      name: 'bot',
      namespace: 'default',
      creationTimestamp: expect.any(String),
      managedFields: [
        expect.objectContaining({ operation: 'Update', subresource: 'token', apiVersion: 'authentication.k8s.io/v1' }),
      ],
    });
  });

  test('have the requested audiences', async () => {
    const { status } = await token({ audiences: ['vault'] });
    const value = status?.token ?? '';

    expect(await reviewToken(value, ['vault', 'other'])).toMatchObject({ authenticated: true, audiences: ['vault'] });
    expect((await reviewToken(value))['authenticated']).toBeUndefined();
  });

  test('bound to a pod end with it', async () => {
    await create('v1', 'Pod', 'pods', {
      metadata: { name: 'short' },
      spec: { serviceAccountName: 'bot', containers: [{ name: 'c', image: 'i' }] },
    });
    const { status } = await token({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'short' } });
    const value = status?.token ?? '';
    expect(await reviewToken(value)).toMatchObject({
      authenticated: true,
      user: { extra: { 'authentication.kubernetes.io/pod-name': ['short'] } },
    });

    await cluster.client.resource(refs.pods, 'default').delete('short', { gracePeriodSeconds: 0 });
    await cluster.settled();
    expect((await reviewToken(value))['authenticated']).toBeUndefined();
  });

  const pod = { kind: 'Pod', apiVersion: 'v1', name: 'web' };
  test.each([
    {
      name: 'less than ten minutes',
      spec: { expirationSeconds: 599 },
      account: 'bot',
      says: 'may not specify a duration less than 10 minutes',
    },
    {
      name: 'another account’s pod',
      spec: { boundObjectRef: pod },
      account: 'default',
      says: 'cannot bind token for serviceaccount "default" to pod running with different serviceaccount name.',
    },
    {
      name: 'a pod that is not there',
      spec: { boundObjectRef: { ...pod, name: 'gone' } },
      account: 'bot',
      says: 'pods "gone" not found',
    },
    {
      name: 'an earlier pod of that name',
      spec: { boundObjectRef: { ...pod, uid: 'old' } },
      account: 'bot',
      says: 'the UID in the bound object reference (old) does not match the UID in record. The object might have been deleted and then recreated',
    },
    { name: 'an account that is not there', spec: {}, account: 'nobody', says: 'serviceaccounts "nobody" not found' },
  ])('are not issued for $name', async ({ spec, account, says }) => {
    expect((await token(spec, account)).refused).toContain(says);
  });
});

describe('AUTHN-10 RES-17 reviews', () => {
  test('an invalid token is reported in the status, not rejected', async () => {
    expect(await reviewToken('nonsense')).toMatchObject({ error: expect.stringContaining('invalid bearer token') });
  });

  test('a review without a token is rejected', async () => {
    const { refused } = await create('authentication.k8s.io/v1', 'TokenReview', 'tokenReviews', {
      spec: { token: '' },
    });

    expect(refused).toBe('token is required for TokenReview in authentication');
  });

  test('SelfSubjectReview', async () => {
    const { status, metadata } = await create('authentication.k8s.io/v1', 'SelfSubjectReview', 'selfSubjectReviews', {
      metadata: { labels: { a: 'b' } },
    });
    expect(metadata).toEqual({ creationTimestamp: expect.any(String) });

    expect(status).toMatchObject({
      userInfo: { groups: expect.arrayContaining(['system:masters', 'system:authenticated']) },
    });
  });
});

describe('RES-05 pods/binding', () => {
  const bind = (name: string, target: object, metadata: object = {}) =>
    cluster.client
      .resource(refs.pods, 'default')
      .createSubresource(name, 'binding', {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name, ...metadata },
        target,
      } as never)
      .then((status) => (status as { status?: string }).status)
      .catch((error: Error) => error.message);
  const addPod = (name: string, spec: object = {}) =>
    create('v1', 'Pod', 'pods', {
      metadata: { name },
      spec: { containers: [{ name: 'c', image: 'i' }], schedulerName: 'nobody', ...spec },
    });

  test('sets the node, once', async () => {
    await addPod('b1');
    expect(await bind('b1', { kind: 'Node', name: 'n1' }, { annotations: { a: 'b' } })).toBe('Success');
    expect(await cluster.client.resource(refs.pods, 'default').get('b1')).toMatchObject({
      metadata: { annotations: { a: 'b' } },
      spec: { nodeName: 'n1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });

    expect(await bind('b1', { kind: 'Node', name: 'n2' })).toBe(
      'Operation cannot be fulfilled on pods/binding "b1": pod b1 is already assigned to node "n1"',
    );
  });

  test('ends the nomination for a node', async () => {
    await addPod('b4');
    const pods = cluster.client.resource(refs.pods, 'default');
    await pods.patch('b4', { status: { nominatedNodeName: 'n2' } }, { type: 'merge', subresource: 'status' });
    expect((await pods.get('b4')).status?.nominatedNodeName).toBe('n2');
    expect(await bind('b4', { name: 'n1' })).toBe('Success');
    const { spec, status } = await pods.get('b4');
    expect(spec?.nodeName).toBe('n1');
    expect(status).not.toHaveProperty('nominatedNodeName');
  });

  test('is validated but not stored in a dry run, and rejected for the same reasons', async () => {
    const pods = cluster.client.resource(refs.pods, 'default');
    const binding = { metadata: { name: 'b3' }, target: { name: 'n1' } } as never;
    await addPod('b3', { schedulingGates: [{ name: 'g' }] });
    await expect(pods.createSubresource('b3', 'binding', binding, { dryRun: true })).rejects.toThrow('schedulingGates');
    await pods.delete('b3', { gracePeriodSeconds: 0 });
    await addPod('b3');
    await pods.createSubresource('b3', 'binding', binding, { dryRun: true });
    expect((await pods.get('b3')).spec).not.toHaveProperty('nodeName');
    await pods.delete('b3', { gracePeriodSeconds: 0 });
  });

  test.each([
    {
      name: 'a gated pod',
      spec: { schedulingGates: [{ name: 'g' }] },
      target: { name: 'n1' },
      metadata: {},
      says: 'pod b2 has non-empty .spec.schedulingGates',
    },
    { name: 'no node', spec: {}, target: { kind: 'Node' }, metadata: {}, says: 'target.name: Required value' },
    {
      name: 'what is no node',
      spec: {},
      target: { kind: 'Rack', name: 'r' },
      metadata: {},
      says: 'target.kind: Unsupported value: "Rack"',
    },
    {
      name: 'an earlier pod of that name',
      spec: {},
      target: { name: 'n1' },
      metadata: { uid: 'old' },
      says: 'Precondition failed: UID in precondition: old',
    },
    {
      name: 'the binding of another pod',
      spec: {},
      target: { name: 'n1' },
      metadata: { name: 'b1' },
      says: 'name in URL does not match name in Binding object',
    },
  ])('refuses $name', async ({ spec, target, metadata, says }) => {
    await addPod('b2', spec);
    const answer = await bind('b2', target, metadata);
    await cluster.client.resource(refs.pods, 'default').delete('b2', { gracePeriodSeconds: 0 });

    expect(answer).toContain(says);
  });
});
