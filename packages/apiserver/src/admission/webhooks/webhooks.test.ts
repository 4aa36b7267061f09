import type { ApiResponse, Exchange } from '@coracle/apimachinery';
import { noMetrics, seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AuditBackend, AuditEvent } from '../../audit/audit-event.js';
import { startTestServer, type TestServer } from '../../server.fixture.js';
import { expressionEvaluator } from '../expressions/evaluate-expressions.js';
import type { WebhookDependencies } from './call-admission-webhook.js';
import { mutatingWebhooks } from './mutating-webhooks.js';
import { validatingWebhooks } from './validating-webhooks.js';
import { WebhookMeter } from './webhook-meter.js';

// biome-ignore lint/suspicious/noExplicitAny: reviews are read without types
type Request = any;

const configmaps = '/api/v1/namespaces/default/configmaps';
const configurations = '/apis/admissionregistration.k8s.io/v1';
const service = { namespace: 'hooks', name: 'hook', path: '/review' };
const everything = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], scope: '*' };
const aboutConfigMaps = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };

let server: TestServer;
let clock: VirtualClock;
let reviews: Request[];
/** The annotations of the last audit event, except those of authorization. */
let annotations: Readonly<Record<string, string>>;
/** The response of the webhook to a request. */
let answer: (request: Request, path: string) => object | Promise<object>;

const toJson = (value: unknown): ApiResponse => ({ status: 200, headers: {}, body: { kind: 'value', value } });

const exchange: Exchange = async ({ body, path }) => {
  const review = JSON.parse(new TextDecoder().decode(body?.kind === 'bytes' ? body.bytes : undefined));
  reviews.push(review.request);
  const response = await answer(review.request, path);
  return toJson({ ...review, request: undefined, response: { uid: review.request.uid, allowed: true, ...response } });
};

beforeEach(async () => {
  reviews = [];
  answer = () => ({});
  clock = new VirtualClock();
  const authorizer = { name: 'All', authorize: () => ({ kind: 'allow', reason: '' }) as const };
  const backend: AuditBackend = {
    name: 'test',
    process: (event) => {
      const { annotations: all = {} } = JSON.parse(event) as AuditEvent;
      annotations = Object.fromEntries(Object.entries(all).filter(([key]) => !key.startsWith('authorization.')));
      return undefined;
    },
    [Symbol.asyncDispose]: async () => {},
  };
  server = await startTestServer({
    clock,
    audit: () => ({ policy: { rules: [{ level: 'Request' }] }, backends: [backend] }),
    admission: ({ objects, outbound }) => {
      const deps: WebhookDependencies = {
        objects,
        outbound,
        clock,
        random: seededRandom(1),
        logger: silentLogger,
        evaluate: expressionEvaluator(authorizer, () => ({})),
        meter: new WebhookMeter({ clock, metrics: noMetrics }),
      };
      return [mutatingWebhooks(deps), validatingWebhooks(deps)];
    },
  });
  server.server.parts.outbound.register(service, { exchange });
});

async function install(kind: 'mutating' | 'validating', webhook: object = {}, name = 'test'): Promise<void> {
  const webhooks = [webhook].flat().map((one) => ({
    name: 'hook.example.com',
    clientConfig: { service },
    rules: [aboutConfigMaps],
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    ...one,
  }));
  const { status, body } = await server.call('POST', `${configurations}/${kind}webhookconfigurations`, {
    metadata: { name },
    webhooks,
  });
  expect([status, body.message]).toEqual([201, undefined]);
}

const create = (name: string, more: object = {}, query = '') =>
  server.call('POST', `${configmaps}${query}`, { metadata: { name }, ...more });

const patchOf = (...operations: object[]) => ({
  patchType: 'JSONPatch',
  patch: btoa(JSON.stringify(operations)),
});

describe('ADM-24 requests that a webhook is called for', () => {
  test('is sent in an AdmissionReview', async () => {
    await install('validating');
    await create('a', { data: { k: 'v' } }, '?fieldManager=me');
    expect(reviews).toMatchObject([
      {
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        kind: { group: '', version: 'v1', kind: 'ConfigMap' },
        resource: { group: '', version: 'v1', resource: 'configmaps' },
        requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
        requestResource: { group: '', version: 'v1', resource: 'configmaps' },
        name: 'a',
        namespace: 'default',
        operation: 'CREATE',
        userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
        object: { kind: 'ConfigMap', apiVersion: 'v1', data: { k: 'v' } },
        oldObject: null,
        dryRun: false,
        options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
      },
    ]);
  });

  test('matches its rules', async () => {
    await install('validating', { rules: [{ ...aboutConfigMaps, operations: ['UPDATE', 'DELETE'] }] });
    const { body } = await create('a');
    await server.call('PUT', `${configmaps}/a`, { ...body, data: { k: 'v' } });
    await server.call('DELETE', `${configmaps}/a`);
    await server.call('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 'a' } });
    expect(
      reviews.map(({ operation, object, oldObject }) => [operation, object?.data?.k, oldObject?.metadata.name]),
    ).toEqual([
      ['UPDATE', 'v', 'a'],
      ['DELETE', undefined, 'a'],
    ]);
  });

  test('ADM-20 webhook configurations are never sent', async () => {
    answer = () => ({ allowed: false });
    await install('validating', { rules: [everything] });
    await install('mutating', { rules: [everything] }, 'other');
    const { status } = await server.call('DELETE', `${configurations}/validatingwebhookconfigurations/test`);
    expect([status, reviews]).toEqual([200, []]);
  });

  test('is sent in the version of the rule, if the client requested an equivalent one', async () => {
    const rule = { operations: ['*'], apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['*'] };
    await install('validating', [
      { name: 'equivalent.example.com', rules: [rule] },
      { name: 'exact.example.com', rules: [rule], matchPolicy: 'Exact' },
    ]);
    const spec = { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } };
    const { status } = await server.call('POST', '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers', {
      metadata: { name: 'a' },
      spec,
    });
    expect(status).toBe(201);
    expect(
      reviews.map(({ kind, requestKind, object }) => [kind.version, requestKind.version, object.apiVersion]),
    ).toEqual([['v1', 'v2', 'autoscaling/v1']]);
  });

  test('is selected by labels of the old or new object, and of its namespace', async () => {
    const namespaces = await server.call('GET', '/api/v1/namespaces/default');
    const metadata = { ...namespaces.body.metadata, labels: { team: 'a' } };
    await server.call('PUT', '/api/v1/namespaces/default', { ...namespaces.body, metadata });
    await install('validating', [
      { name: 'object.example.com', objectSelector: { matchLabels: { ask: 'yes' } } },
      { name: 'here.example.com', namespaceSelector: { matchLabels: { team: 'a' } } },
      { name: 'elsewhere.example.com', namespaceSelector: { matchLabels: { team: 'b' } } },
    ]);
    await create('plain');
    await create('labelled', { metadata: { name: 'labelled', labels: { ask: 'yes' } } });
    expect(reviews).toHaveLength(3);
  });

  test('is selected by match conditions', async () => {
    await install('validating', {
      matchConditions: [{ name: 'not-skipped', expression: "object.metadata.name != 'skip-me'" }],
    });
    await create('skip-me');
    await create('me');
    expect(reviews.map(({ name }) => name)).toEqual(['me']);
  });

  test('RES-01 is the Scale of a scale subresource', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const path = '/apis/apps/v1/namespaces/default/deployments';
    const spec = { selector: { matchLabels: { a: 'b' } }, template };
    await server.call('POST', path, { metadata: { name: 'd' }, spec });
    const rules = [
      { operations: ['UPDATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments/scale'] },
    ];
    await install('mutating', { rules });
    answer = () => patchOf({ op: 'replace', path: '/spec/replicas', value: 7 });
    const scale = await server.call('GET', `${path}/d/scale`);
    const { body } = await server.call('PUT', `${path}/d/scale`, { ...scale.body, spec: { replicas: 3 } });
    expect([reviews[0].kind.kind, reviews[0].object.spec, body.spec]).toEqual([
      'Scale',
      { replicas: 3 },
      { replicas: 7 },
    ]);
  });
});

describe('ADM-30 a request that a webhook does not allow', () => {
  test.each([
    [
      { message: 'no', code: 409, reason: 'Conflict' },
      409,
      'admission webhook "hook.example.com" denied the request: no',
    ],
    [{ code: 200 }, 400, 'admission webhook "hook.example.com" denied the request without explanation'],
    [{ reason: 'Never' }, 400, 'admission webhook "hook.example.com" denied the request: Never'],
    [undefined, 400, 'admission webhook "hook.example.com" denied the request without explanation'],
  ])('is rejected with the webhook’s status: %o', async (status, code, message) => {
    await install('validating');
    answer = () => ({ allowed: false, status });
    const refused = await create('a');
    expect([refused.status, refused.body.message]).toEqual([code, message]);
  });

  test('ADM-26 all validating webhooks are called at once; the first in order decides', async () => {
    await install('validating', [{ name: 'a.example.com' }, { name: 'b.example.com' }]);
    answer = () => ({ allowed: false });
    const { body } = await create('a');
    expect([reviews.length, body.message]).toEqual([
      2,
      'admission webhook "a.example.com" denied the request without explanation',
    ]);
  });

  test('warnings are passed on', async () => {
    await install('validating');
    answer = () => ({ warnings: ['careful'] });
    const { headers } = await create('a');
    expect(headers['warning']).toEqual(['299 - "careful"']);
  });
});

describe('ADM-29 a webhook that fails', () => {
  const failing = 'Internal error occurred: failed calling webhook "hook.example.com": ';

  test.each([
    ['garbage', () => ({ uid: 'other' }), 'received invalid webhook response: expected response.uid='],
    [
      'a patch from a validating one',
      () => patchOf(),
      'received invalid webhook response: validating webhook may not return response.patch',
    ],
  ])('by %s refuses the request, unless that is overlooked', async (_name, answers, message) => {
    await install('validating', { failurePolicy: 'Fail' });
    answer = answers;
    const refused = await create('a');
    expect([refused.status, refused.body.message]).toEqual([500, expect.stringContaining(failing + message)]);
    await server.call('DELETE', `${configurations}/validatingwebhookconfigurations/test`);
    await install('validating', { failurePolicy: 'Ignore' });
    expect((await create('a')).status).toBe(201);
  });

  test('by not answering in time', async () => {
    await install('validating', { timeoutSeconds: 1 });
    answer = () => new Promise(() => {});
    const pending = create('a');
    await clock.advance(1_000);
    const refused = await pending;
    expect([refused.status, refused.body.message]).toEqual([
      500,
      `${failing}failed to call webhook: Post "https://hook.hooks.svc:443/review?timeout=1s": context deadline exceeded`,
    ]);
  });

  test('by not existing', async () => {
    await install('validating', { clientConfig: { service: { ...service, name: 'absent' } } });
    const refused = await create('a');
    expect(refused.body.message).toBe(
      `${failing}failed to call webhook: Post "https://absent.hooks.svc:443/review?timeout=10s": services "absent" not found`,
    );
  });

  test('with side effects is not called in a dry run', async () => {
    await install('validating', { sideEffects: 'NoneOnDryRun' });
    expect((await create('a', {}, '?dryRun=All')).status).toBe(201);
    expect(reviews.map(({ dryRun }) => dryRun)).toEqual([true]);
  });
});

describe('ADM-27 mutating webhooks', () => {
  const add = (key: string) => patchOf({ op: 'add', path: `/data/${key}`, value: 'yes' });

  test('are called in the order of their configurations, each with the result of the one before', async () => {
    await install(
      'mutating',
      { name: 'second.example.com', clientConfig: { service: { ...service, path: '/b' } } },
      'b',
    );
    await install(
      'mutating',
      { name: 'first.example.com', clientConfig: { service: { ...service, path: '/a' } } },
      'a',
    );
    answer = ({ object }, path) => (path === '/a' ? add('one') : object.data.one ? add('two') : {});
    const { body } = await create('a', { data: { start: 'yes' } });
    expect(body.data).toEqual({ start: 'yes', one: 'yes', two: 'yes' });
  });

  test('fields that they add get their defaults', async () => {
    await install('mutating', {
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
    });
    answer = () => patchOf({ op: 'add', path: '/spec/initContainers', value: [{ name: 'i', image: 'x' }] });
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'x' }] } };
    const { body } = await server.call('POST', '/api/v1/namespaces/default/pods', pod);
    expect(body.spec.initContainers[0]).toMatchObject({ name: 'i', terminationMessagePolicy: 'File' });
  });

  test('ADM-28 see the object again with reinvocationPolicy IfNeeded, if it has changed since', async () => {
    const at = (path: string, reinvocationPolicy: string) => ({
      name: `${path.slice(1)}.example.com`,
      clientConfig: { service: { ...service, path } },
      reinvocationPolicy,
    });
    await install('mutating', [at('/never', 'Never'), at('/again', 'IfNeeded'), at('/changes', 'IfNeeded')]);
    const paths: string[] = [];
    answer = ({ object }, path) => {
      paths.push(path);
      return path === '/changes' && !object.data?.late ? add('late') : {};
    };
    await create('a', { data: { start: 'yes' } });
    expect(paths).toEqual(['/never', '/again', '/changes', '/again']);
  });

  test('a patch that does not fit is a failure of the server', async () => {
    await install('mutating');
    answer = () => patchOf({ op: 'replace', path: '/nowhere/x', value: 1 });
    const { status, body } = await create('a');
    expect([status, body.reason]).toEqual([500, 'InternalError']);
  });
});

describe('patches that cannot be applied', () => {
  const base64 = (patch: string) => ({ patchType: 'JSONPatch', patch: btoa(patch) });

  test.each([['['], ['{}'], ['[1]'], ['"x"']])(
    '%s is a failure of the webhook, for its policy to decide',
    async (patch) => {
      answer = () => base64(patch);
      await install('mutating', { failurePolicy: 'Fail' });
      const { status, body } = await create('a');
      expect([status, body.message]).toEqual([
        500,
        expect.stringContaining(
          'Internal error occurred: failed calling webhook "hook.example.com": received undecodable patch in webhook response: ',
        ),
      ]);
      await install('mutating', { failurePolicy: 'Ignore' }, 'before');
      await server.call('DELETE', `${configurations}/mutatingwebhookconfigurations/test`);
      expect((await create('a')).status).toBe(201);
      expect(annotations).toHaveProperty(['failed-open.mutation.webhook.admission.k8s.io/round_0_index_0']);
    },
  );

  test.each([
    [{ op: 'add', path: '/a/b', value: 1 }, 'add operation does not apply: doc is missing path: "/a/b": missing value'],
    [{ op: 'spell', path: '/data' }, 'Unexpected kind: spell'],
    [{ op: 'test', path: '/kind', value: 'Pod' }, 'testing value /kind failed: test failed'],
  ])('%o is an error with the reason, whatever the policy', async (operation, reason) => {
    answer = () => patchOf(operation);
    await install('mutating', { failurePolicy: 'Ignore' });
    const { status, body } = await create('a');
    expect([status, body.message]).toEqual([500, `Internal error occurred: ${reason}`]);
  });

  test.each([[null], ['AnyPatch']])('in v1beta1 a patch is a JSON patch, also with the type %s', async (patchType) => {
    answer = () => ({ ...patchOf({ op: 'add', path: '/data', value: { k: 'v' } }), patchType });
    await install('mutating', { admissionReviewVersions: ['v1beta1'] });
    expect((await create('a')).body.data).toEqual({ k: 'v' });
  });
});

test.each([
  [
    { allowed: 'yes' },
    'json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool',
  ],
  [
    { warnings: 'w' },
    'json: cannot unmarshal string into Go struct field AdmissionResponse.response.warnings of type []',
  ],
  [
    { status: { code: 'x' } },
    'json: cannot unmarshal string into Go struct field Status.response.status.code of type int32',
  ],
  [{ auditAnnotations: { k: 1 } }, 'json: cannot unmarshal number into'],
])('an answer with a field of another type is a failure of the webhook: %j', async (response, reason) => {
  answer = () => response;
  await install('validating', { failurePolicy: 'Fail' });
  const { status, body } = await create('a');
  expect([status, body.message]).toEqual([
    500,
    expect.stringContaining(
      `Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: ${reason}`,
    ),
  ]);
  await server.call('DELETE', `${configurations}/validatingwebhookconfigurations/test`);
  await install('validating', { failurePolicy: 'Ignore' });
  expect((await create('a')).status).toBe(201);
});

test('an answer without a response is invalid', async () => {
  const empty: Exchange = async () => toJson({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' });
  server.server.parts.outbound.register({ ...service, name: 'empty' }, { exchange: empty });
  await install('validating', { clientConfig: { service: { ...service, name: 'empty' } } });
  expect((await create('a')).body.message).toBe(
    'Internal error occurred: failed calling webhook "hook.example.com": received invalid webhook response: ' +
      'webhook response was absent',
  );
});

describe('audit annotations', () => {
  const of = (name: string) => `"configuration":"test","webhook":"${name}.example.com"`;
  const broken = () => Promise.reject(new Error('out of order'));

  test('say which webhooks changed the object, and how', async () => {
    const operation = { op: 'add', path: '/data', value: { k: 'v' } };
    answer = (_, path) => (path === '/change' ? patchOf(operation) : {});
    const changing = { clientConfig: { service: { ...service, path: '/change' } } };
    await install('mutating', [{ name: 'one.example.com' }, { name: 'two.example.com', ...changing }]);
    await create('a');
    const patch = JSON.stringify([operation]);
    expect(annotations).toEqual({
      'mutation.webhook.admission.k8s.io/round_0_index_0': `{${of('one')},"mutated":false}`,
      'mutation.webhook.admission.k8s.io/round_0_index_1': `{${of('two')},"mutated":true}`,
      'patch.webhook.admission.k8s.io/round_0_index_1': `{${of('two')},"patch":${patch},"patchType":"JSONPatch"}`,
    });
  });

  test('show a patch that changes nothing, with the fields of its operations in order', async () => {
    answer = () => patchOf({ value: 'a', path: '/metadata/name', op: 'replace' });
    await install('mutating', { name: 'one.example.com' });
    await create('a');
    const patch = '[{"op":"replace","path":"/metadata/name","value":"a"}]';
    expect(annotations).toEqual({
      'mutation.webhook.admission.k8s.io/round_0_index_0': `{${of('one')},"mutated":false}`,
      'patch.webhook.admission.k8s.io/round_0_index_0': `{${of('one')},"patch":${patch},"patchType":"JSONPatch"}`,
    });
  });

  test('of webhooks have qualified names', async () => {
    answer = () => ({ auditAnnotations: { good: 'yes', 'a/b': 'no', 'a b': 'no', '': 'no' } });
    await install('validating');
    await create('a');
    expect(annotations).toEqual({ 'hook.example.com/good': 'yes' });
  });

  test('say which webhooks failed and were overlooked', async () => {
    answer = broken;
    await install('mutating', { name: 'one.example.com', failurePolicy: 'Ignore' });
    await install('validating', { name: 'two.example.com', failurePolicy: 'Ignore' });
    expect((await create('a')).status).toBe(201);
    expect(annotations).toEqual({
      'mutation.webhook.admission.k8s.io/round_0_index_0': `{${of('one')},"mutated":false}`,
      'failed-open.mutation.webhook.admission.k8s.io/round_0_index_0': 'one.example.com',
      'failed-open.validating.webhook.admission.k8s.io/round_0_index_0': 'two.example.com',
    });
  });
});
