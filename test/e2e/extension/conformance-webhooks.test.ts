import type { ApiResponse, Exchange } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: reviews and responses of every kind are read without types
type Any = any;

const service = { namespace: 'default', name: 'e2e-test-webhook' };
const configurations = '/apis/admissionregistration.k8s.io/v1';
const maps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';
const group = 'webhook.example.com';
const unwanted = 'webhook-disallow';

const patchOf = (...operations: readonly object[]) => ({
  patchType: 'JSONPatch',
  patch: btoa(JSON.stringify(operations)),
});
const refusal = (message: string) => ({ allowed: false, status: { message } });
const stage = (data: Record<string, string>) =>
  data['mutation-start'] === 'yes' && data['mutation-stage-1'] === undefined
    ? patchOf({ op: 'add', path: '/data/mutation-stage-1', value: 'yes' })
    : patchOf({ op: 'add', path: '/data/mutation-stage-2', value: 'yes' });

/** Path → what the webhook of upstream's tests does there. */
const behaviours: Readonly<Record<string, (request: Any) => object | Promise<object>>> = {
  '/always-deny': () => refusal('this webhook denies all requests'),
  '/data': ({ object, oldObject, operation }) => {
    const { data } = operation === 'DELETE' ? oldObject : object;
    return data?.['webhook-e2e-test'] === unwanted ? refusal('it contains unwanted data') : {};
  },
  '/pods': ({ object }) =>
    object.metadata.labels?.['webhook-e2e-test'] === unwanted ? refusal('the pod contains unwanted label') : {},
  '/attach': ({ name }) => refusal(`attaching to pod '${name}' is not allowed`),
  '/mutate': ({ object }) => stage(object.data ?? {}),
  '/init-container': () =>
    patchOf({ op: 'add', path: '/spec/initContainers', value: [{ image: 'webhook-image', name: 'added' }] }),
  '/label': () => patchOf({ op: 'add', path: '/metadata/labels', value: { 'webhook-added': 'yes' } }),
  '/hang': () => new Promise(() => undefined),
};

const exchange: Exchange = async ({ body, path }) => {
  const review = JSON.parse(new TextDecoder().decode(body?.kind === 'bytes' ? body.bytes : undefined));
  const answer = await behaviours[new URL(path, 'https://webhook').pathname]?.(review.request);
  const response = { uid: review.request.uid, allowed: true, ...answer };
  const value = { ...review, request: undefined, response };
  return { status: 200, headers: {}, body: { kind: 'value', value } } satisfies ApiResponse;
};

const rule = (resources: string, operations = ['CREATE'], apiGroups = ['']) => ({
  operations,
  apiGroups,
  apiVersions: ['*'],
  resources: [resources],
});

/** Upstream's tests of "AdmissionWebhook", with a function instead of its image. */
describe('admission webhooks as the conformance tests use them', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, seed: 1 });
    cluster.controlPlane.server.parts.outbound.register(service, { exchange });
    const versions = [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              data: {
                type: 'object',
                properties: { 'mutation-start': { type: 'string' }, 'webhook-e2e-test': { type: 'string' } },
              },
            },
          },
        },
      },
    ];
    const spec = { group, scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' }, versions };
    await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: `things.${group}` },
      spec,
    });
    await cluster.settled();
  });
  afterAll(() => cluster?.stop());

  async function call(method: string, path: string, body?: object, contentType?: string): Promise<Any> {
    const options = { ...(body && { body }), ...(contentType && { contentType }) };
    const answer = await cluster.client.raw(method, path, options);
    return { code: answer.status, ...(answer.body as object) };
  }

  /** Webhooks of one configuration, for as long as the work takes. */
  async function using(kind: 'validating' | 'mutating', hooks: readonly object[], work: () => Promise<void>) {
    const path = `${configurations}/${kind}webhookconfigurations`;
    const webhooks = hooks.map((hook, i) => {
      const { path: at, ...rest } = hook as { path: string };
      const clientConfig = { service: { ...service, path: at } };
      return { name: `hook-${i}.k8s.io`, clientConfig, sideEffects: 'None', admissionReviewVersions: ['v1'], ...rest };
    });
    expect(await call('POST', path, { metadata: { name: 'e2e' }, webhooks })).toMatchObject({ code: 201 });
    await cluster.settled();
    try {
      await work();
    } finally {
      expect(await call('DELETE', `${path}/e2e`)).toMatchObject({ code: 200 });
      await cluster.settled();
    }
  }

  const pod = (name: string, labels = {}) => ({
    metadata: { name, labels },
    spec: { containers: [{ name: 'example', image: 'pause' }] },
  });
  const bad = { data: { 'webhook-e2e-test': unwanted } };

  test('should be able to deny pod and configmap creation', async () => {
    const hooks = [
      { path: '/pods', rules: [rule('pods')] },
      { path: '/data', rules: [rule('configmaps', ['CREATE', 'UPDATE', 'DELETE'])] },
    ];
    await using('validating', hooks, async () => {
      const denied = await call('POST', pods, pod('disallowed', { 'webhook-e2e-test': unwanted }));
      expect(denied.message).toContain('denied the request: the pod contains unwanted label');
      expect((await call('POST', maps, { metadata: { name: 'no' }, ...bad })).message).toContain('unwanted data');
      expect(await call('POST', maps, { metadata: { name: 'yes' }, data: { admit: 'this' } })).toMatchObject({
        code: 201,
      });
      const patched = await call('PATCH', `${maps}/yes`, bad, 'application/strategic-merge-patch+json');
      expect(patched.message).toContain('unwanted data');
    });
  });

  test('should be able to deny attaching pod', async () => {
    await call('POST', pods, pod('to-be-attached'));
    await cluster.settled();
    await using('validating', [{ path: '/attach', rules: [rule('pods/attach', ['CONNECT'])] }], async () => {
      const { message } = await call('POST', `${pods}/to-be-attached/attach?stdin=true&container=example`);
      expect(message).toContain("attaching to pod 'to-be-attached' is not allowed");
    });
  });

  test('should be able to deny custom resource creation, update and deletion', async () => {
    const things = `/apis/${group}/v1/namespaces/default/things`;
    const thing = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'one' }, ...bad };
    const hook = { path: '/data', rules: [rule('things', ['CREATE', 'UPDATE', 'DELETE'], [group])] };
    await using('validating', [hook], async () => {
      expect((await call('POST', things, thing)).message).toContain('unwanted data');
      const fine = await call('POST', things, { ...thing, data: { 'webhook-e2e-test': 'fine' } });
      expect(fine.code).toBe(201);
      const updated = await call('PATCH', `${things}/one`, bad, 'application/merge-patch+json');
      expect(updated.message).toContain('unwanted data');
    });
    await call('PATCH', `${things}/one`, bad, 'application/merge-patch+json');
    await using('validating', [hook], async () => {
      expect((await call('DELETE', `${things}/one`)).message).toContain('unwanted data');
    });
    expect((await call('DELETE', `${things}/one`)).code).toBe(200);
  });

  test('should unconditionally reject operations on fail closed webhook', async () => {
    const unreachable = { clientConfig: { service: { namespace: 'default', name: 'nobody' } }, failurePolicy: 'Fail' };
    await using('validating', [{ path: '/', ...unreachable, rules: [rule('configmaps')] }], async () => {
      expect(await call('POST', maps, { metadata: { name: 'foo' } })).toMatchObject({
        code: 500,
        reason: 'InternalError',
      });
    });
  });

  test('should mutate configmap, pod and custom resource; defaults and pruning come after it', async () => {
    const twice = (rules: object[]) => [
      { path: '/mutate', rules },
      { path: '/mutate', rules },
    ];
    await using('mutating', twice([rule('configmaps')]), async () => {
      const { data } = await call('POST', maps, { metadata: { name: 'start' }, data: { 'mutation-start': 'yes' } });
      expect(data).toEqual({ 'mutation-start': 'yes', 'mutation-stage-1': 'yes', 'mutation-stage-2': 'yes' });
    });
    await using('mutating', [{ path: '/init-container', rules: [rule('pods')] }], async () => {
      const { spec } = await call('POST', pods, pod('to-be-mutated'));
      expect(spec.initContainers).toMatchObject([{ name: 'added', terminationMessagePolicy: 'File' }]);
    });
    await using('mutating', twice([rule('things', ['CREATE'], [group])]), async () => {
      const thing = {
        apiVersion: `${group}/v1`,
        kind: 'Thing',
        metadata: { name: 'pruned' },
        data: { 'mutation-start': 'yes' },
      };
      const { data } = await call('POST', `/apis/${group}/v1/namespaces/default/things`, thing);
      expect(data).toEqual({ 'mutation-start': 'yes' });
    });
  });

  test('should not be able to mutate or prevent deletion of webhook configuration objects', async () => {
    const everything = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'].map((resource) =>
      rule(resource, ['*'], ['admissionregistration.k8s.io']),
    );
    await using('validating', [{ path: '/always-deny', rules: everything }], () =>
      using('mutating', [{ path: '/label', rules: everything }], async () => {
        const path = `${configurations}/validatingwebhookconfigurations`;
        const made = await call('POST', path, { metadata: { name: 'dummy' }, webhooks: [] });
        expect([made.code, made.metadata.labels]).toEqual([201, undefined]);
        expect((await call('DELETE', `${path}/dummy`)).code).toBe(200);
      }),
    );
  });

  test('should deny crd creation', async () => {
    const hook = {
      path: '/always-deny',
      rules: [rule('customresourcedefinitions', ['CREATE'], ['apiextensions.k8s.io'])],
    };
    const schema = { openAPIV3Schema: { type: 'object' } };
    const plain = { name: 'v1', served: true, storage: true, schema };
    await using('validating', [hook], async () => {
      const spec = { group, scope: 'Cluster', names: { plural: 'denieds', kind: 'Denied' }, versions: [plain] };
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      const { message } = await call('POST', path, { metadata: { name: `denieds.${group}` }, spec });
      expect(message).toContain('this webhook denies all requests');
    });
  });

  test('should honor timeout', async () => {
    const rules = [rule('configmaps')];
    const hook = { path: '/hang', rules, timeoutSeconds: 1 };
    await using('validating', [{ ...hook, failurePolicy: 'Fail' }], async () => {
      const answer = call('POST', maps, { metadata: { name: 'slow' } });
      await cluster.clock.advance('1s');
      expect((await answer).message).toMatch(/context deadline exceeded|timeout/);
    });
    await using('validating', [{ ...hook, failurePolicy: 'Ignore' }], async () => {
      const answer = call('POST', maps, { metadata: { name: 'slow' } });
      await cluster.clock.advance('1s');
      expect((await answer).code).toBe(201);
    });
  });

  test("should mutate everything except 'skip-me' configmaps", async () => {
    const matchConditions = [{ name: 'skip-me', expression: "object.metadata.name != 'skip-me'" }];
    await using('mutating', [{ path: '/label', rules: [rule('configmaps')], matchConditions }], async () => {
      const labels = async (name: string) => (await call('POST', maps, { metadata: { name } })).metadata.labels;
      expect(await labels('skip-me')).toBeUndefined();
      expect(await labels('take-me')).toEqual({ 'webhook-added': 'yes' });
    });
  });

  test.each(['validating', 'mutating'])(
    'should reject %s webhook configurations with invalid match conditions',
    async (kind) => {
      const webhook = {
        name: 'invalid.k8s.io',
        clientConfig: { service },
        rules: [rule('configmaps')],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        matchConditions: [{ name: 'expression-1', expression: '... [] bad expression' }],
      };
      const path = `${configurations}/${kind}webhookconfigurations`;
      const { message } = await call('POST', path, { metadata: { name: 'invalid' }, webhooks: [webhook] });
      expect(message).toContain('compilation failed');
    },
  );
});
