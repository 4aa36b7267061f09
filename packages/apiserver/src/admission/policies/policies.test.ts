import { beforeEach, describe, expect, test } from 'vitest';
import type { Authorizer } from '../../authorization/authorizer.js';
import { startTestServer, type TestServer } from '../../server.fixture.js';
import { authorizerVariables } from '../expressions/authorizer-variables.js';
import { expressionEvaluator } from '../expressions/evaluate-expressions.js';
import { mutatingPolicies } from './mutating-policies.js';
import { validatingPolicies } from './validating-policies.js';

const group = '/apis/admissionregistration.k8s.io/v1';
const configmaps = '/api/v1/namespaces/default/configmaps';
const matchConstraints = {
  resourceRules: [
    { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] },
  ],
};

let server: TestServer;
/** An asynchronous authorizer, such as a webhook. */
const authorizer: Authorizer = {
  name: 'Later',
  authorize: async ({ verb, resource }) =>
    verb === 'delete' && resource === 'secrets' ? { kind: 'deny', reason: 'never' } : { kind: 'allow', reason: '' },
};

beforeEach(async () => {
  server = await startTestServer({
    admission: ({ objects, params }) => {
      const deps = { objects, params, evaluate: expressionEvaluator(authorizer, authorizerVariables) };
      return [mutatingPolicies(deps), validatingPolicies(deps)];
    },
  });
});

type Kind = 'validating' | 'mutating';

async function install(kind: Kind, spec: object, binding: object = {}, name = 'p'): Promise<void> {
  const policy = {
    metadata: { name },
    spec: { matchConstraints, ...(kind === 'mutating' && { reinvocationPolicy: 'Never' }), ...spec },
  };
  const made = await server.call('POST', `${group}/${kind}admissionpolicies`, policy);
  expect([made.status, made.body.message]).toEqual([201, undefined]);
  const actions = kind === 'validating' ? { validationActions: ['Deny'] } : {};
  const bound = await server.call('POST', `${group}/${kind}admissionpolicybindings`, {
    metadata: { name: `${name}-b` },
    spec: { policyName: name, ...actions, ...binding },
  });
  expect([bound.status, bound.body.message]).toEqual([201, undefined]);
}

const create = (name: string, data: object = {}, more: object = {}) =>
  server.call('POST', configmaps, { metadata: { name, ...more }, data });

/** The result of a request: its code and its message. */
async function outcome(name: string, data: object = {}) {
  const { status, body } = await create(name, data);
  return [status, body.message?.replace(/.*denied request: /, '')];
}

describe('validating policies', () => {
  test('reject requests that an expression forbids, with the message of the validation', async () => {
    await install('validating', { validations: [{ expression: 'object.data.a == "x"', message: 'a must be x' }] });
    const { status, body } = await create('c', { a: 'y' });
    expect([status, body.reason, body.message]).toEqual([
      422,
      'Invalid',
      `configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p-b' denied request: a must be x`,
    ]);
    expect((await create('c', { a: 'x' })).status).toBe(201);
  });

  test('a failing expression refuses too, unless failures are ignored', async () => {
    const validations = [{ expression: 'object.data.a == "x"' }];
    await install('validating', { validations });
    expect(await outcome('c')).toEqual([422, `expression 'object.data.a == "x"' resulted in error: no such key: data`]);
    await server.call('DELETE', `${group}/validatingadmissionpolicies/p`);
    await server.call('DELETE', `${group}/validatingadmissionpolicybindings/p-b`);
    await install('validating', { validations, failurePolicy: 'Ignore' });
    expect((await create('c')).status).toBe(201);
  });

  test('variables are evaluated when they are read', async () => {
    await install('validating', {
      variables: [
        { name: 'n', expression: 'int(object.data.n)' },
        { name: 'twice', expression: 'variables.n * 2' },
        { name: 'never', expression: 'object.data.nosuch' },
      ],
      validations: [{ expression: 'variables.twice < 10', messageExpression: '"twice is " + string(variables.twice)' }],
    });
    expect(await outcome('a', { n: '5' })).toEqual([422, 'twice is 10']);
    expect(await outcome('b', { n: '4' })).toEqual([201, undefined]);
    expect(await outcome('c', { n: 'q' })).toEqual([
      422,
      expect.stringContaining(
        'composited variable "twice" fails to evaluate: composited variable "n" fails to evaluate',
      ),
    ]);
  });

  test('parameters come from objects that the binding names or selects', async () => {
    await create('limits', { max: '3' }, { labels: { role: 'limits' } });
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConditions: [{ name: 'others', expression: '!has(object.data.max)' }],
      validations: [{ expression: 'int(object.data.n) <= int(params.data.max)', message: 'too many' }],
    };
    await install('validating', spec, { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } });
    expect(await outcome('a', { n: '4' })).toEqual([422, 'too many']);
    expect(await outcome('b', { n: '3' })).toEqual([201, undefined]);
    await server.call('DELETE', `${configmaps}/limits`);
    expect(await outcome('c', { n: '1' })).toEqual([
      422,
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    ]);
  });

  test('warn instead of refusing, if the binding has the action Warn', async () => {
    await install(
      'validating',
      { validations: [{ expression: 'false', message: 'careful' }] },
      { validationActions: ['Warn'] },
    );
    const { status, headers } = await create('c');
    expect([status, headers['warning']]).toEqual([
      201,
      [`299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p-b': careful"`],
    ]);
  });

  test.each([
    ['a parameter that is missing', { paramRef: { name: 'none', parameterNotFoundAction: 'Deny' } }, 'no params found'],
    [
      'an audit annotation that fails',
      { paramRef: { name: 'one', parameterNotFoundAction: 'Deny' } },
      'no such key: data',
    ],
  ])('%s refuses, whatever the actions', async (_name, binding, message) => {
    await create('one');
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      auditAnnotations: [{ key: 'k', valueExpression: 'params.data.a' }],
    };
    await install('validating', spec, { ...binding, validationActions: ['Audit'] });
    expect(await outcome('c')).toEqual([422, expect.stringContaining(message)]);
  });

  test('a message is trimmed', async () => {
    await install('validating', { validations: [{ expression: 'false', message: '  no  ' }] });
    expect(await outcome('c')).toEqual([422, 'no']);
  });

  test('expressions see the fields of namespaces that upstream declares', async () => {
    const validations = [
      { expression: 'namespaceObject.metadata.name == "default"' },
      {
        expression:
          'namespaceObject.?status.conditions.orValue([]).all(c, c.type != "NamespaceDeletionContentFailure")',
      },
    ];
    await install('validating', { validations });
    expect((await create('c')).status).toBe(201);
    const spec = { matchConstraints, validations: [{ expression: 'namespaceObject.metadata.uid != ""' }] };
    const { body } = await server.call('POST', `${group}/validatingadmissionpolicies`, {
      metadata: { name: 'q' },
      spec,
    });
    expect(body.message).toContain("undefined field 'uid'");
  });

  test('may use an asynchronous authorizer', async () => {
    const check = (resource: string) => `authorizer.group("").resource("${resource}").check("delete").allowed()`;
    await install('validating', {
      validations: [{ expression: `${check('pods')} && ${check('secrets')}`, message: 'no' }],
    });
    expect(await outcome('c')).toEqual([422, 'no']);
  });

  test('an expression that costs too much is a failure', async () => {
    const expression = 'object.data.all(a, object.data.all(b, object.data.all(c, a + b + c != "")))';
    await install('validating', { validations: [{ expression }] });
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`k${i}`, '']));
    expect(await outcome('c', many)).toEqual([422, expect.stringContaining('actual cost limit exceeded')]);
  });

  test('policies without bindings have no effect, and policies do not apply to policies', async () => {
    const all = { resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'] }] };
    await install('validating', { matchConstraints: all, validations: [{ expression: 'false' }] });
    expect((await server.call('DELETE', `${group}/validatingadmissionpolicybindings/p-b`)).status).toBe(200);
    expect((await create('c')).status).toBe(201);
  });
});

describe('mutating policies', () => {
  const apply = (expression: string) => [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }];
  const patch = (expression: string) => [{ patchType: 'JSONPatch', jsonPatch: { expression } }];

  test('merge an apply configuration into the object', async () => {
    await install('mutating', {
      mutations: apply('Object{metadata: Object.metadata{labels: {"added": object.data.a}}}'),
    });
    const { body } = await create('c', { a: 'b' }, { labels: { own: 'yes' } });
    expect(body.metadata.labels).toEqual({ own: 'yes', added: 'b' });
  });

  test('apply JSON patches; a failed test changes nothing', async () => {
    const operations =
      '[JSONPatch{op: "test", path: "/data/a", value: "x"}, JSONPatch{op: "add", path: "/data/b", value: "y"}]';
    await install('mutating', { mutations: patch(operations) });
    expect((await create('a', { a: 'x' })).body.data).toEqual({ a: 'x', b: 'y' });
    expect((await create('b', { a: 'q' })).body.data).toEqual({ a: 'q' });
  });

  test('operations of patches have fields that can be read', async () => {
    const data = `{
      "op": JSONPatch{op: "o"}.op,
      "value": string(JSONPatch{value: "v"}.value),
      "has": string(has(JSONPatch{op: "o"}.op)) + string(has(JSONPatch{}.op)),
      "equal": string(JSONPatch{value: 1} == JSONPatch{value: 1}) + string(JSONPatch{value: 1} == JSONPatch{value: "1"}),
      "object": string(Object.data{a: "x"}.a)
    }`;
    await install('mutating', { mutations: patch(`[JSONPatch{op: "add", path: "/data", value: ${data}}]`) });
    const expected = { op: 'o', value: 'v', has: 'truefalse', equal: 'truefalse', object: 'x' };
    expect((await create('c')).body.data).toEqual(expected);
  });

  test.each([
    ['unknown fields', '/nosuch', '"x"', 'strict decoding error: unknown field "nosuch"'],
    ['values of a wrong type', '/data', '["x"]', 'data'],
    [
      'types of other fields below',
      '/data',
      'Object.metadata{labels: Object.data{a: "x"}}',
      'type mismatch: unexpected type name "Object.data", expected "Object.metadata.labels"',
    ],
  ])('patches are refused that add %s', async (_name, path, value, message) => {
    await install('mutating', { mutations: patch(`[JSONPatch{op: "add", path: "${path}", value: ${value}}]`) });
    const { status, body } = await create('c');
    expect([status, body.reason, body.message]).toEqual([403, 'Invalid', expect.stringContaining(message)]);
  });

  test.each([
    [
      'unknown fields',
      'Object{nosuch: "x"}',
      'failed to convert patch object to typed object: .nosuch: field not declared in schema',
    ],
    ['types of other fields', 'Object{metadata: Object.spec{a: "b"}}', 'unexpected type name "Object.spec"'],
    ['atomic lists', 'Object{metadata: Object.metadata{finalizers: ["a/b"]}}', undefined],
  ])('%s', async (_name, expression, message) => {
    await install('mutating', { mutations: apply(expression) });
    const { status, body } = await create('c');
    if (message === undefined) expect(status).toBe(201);
    else expect([status, body.reason, body.message]).toEqual([403, 'Invalid', expect.stringContaining(message)]);
  });

  const labelled = (key: string) => apply(`Object{metadata: Object.metadata{labels: {"${key}": "x"}}}`);
  const failing = apply('Object{metadata: Object.metadata{labels: {"b": object.data.nosuch}}}');

  test('a mutation that fails and is ignored does not affect the others', async () => {
    const mutations = [...labelled('a'), ...failing, ...labelled('c')];
    await install('mutating', { mutations, failurePolicy: 'Ignore' });
    expect((await create('m', { x: 'y' })).body.metadata.labels).toEqual({ a: 'x', c: 'x' });
  });

  test('all failures are causes of the refusal', async () => {
    await install('mutating', { mutations: [...failing, ...failing] }, {}, 'p');
    await install('mutating', { mutations: failing }, {}, 'q');
    const { body } = await create('m', { x: 'y' });
    const causes: readonly { readonly message: string }[] = body.details.causes;
    expect(causes.map(({ message }) => message.split(' denied')[0])).toEqual([
      "policy 'p' with binding 'p-b'",
      "policy 'p' with binding 'p-b'",
      "policy 'q' with binding 'q-b'",
    ]);
    expect(body.message).toBe(causes[0]?.message);
  });

  test('a policy that may be reinvoked sees what it has changed itself', async () => {
    await install('mutating', {
      reinvocationPolicy: 'IfNeeded',
      mutations: apply('Object{data: {"count": object.data.count + "i"}}'),
    });
    expect((await create('m', { count: '' })).body.data).toEqual({ count: 'ii' });
  });

  test('changes of one policy do not make another one match', async () => {
    await install('mutating', { mutations: labelled('a') }, {}, 'p');
    const selected = { ...matchConstraints, objectSelector: { matchLabels: { a: 'x' } } };
    await install('mutating', { mutations: labelled('b'), matchConstraints: selected }, {}, 'q');
    expect((await create('m')).body.metadata.labels).toEqual({ a: 'x' });
  });

  test('validating policies get the mutated object', async () => {
    await install('mutating', { mutations: apply('Object{data: {"a": "x"}}') }, {}, 'm');
    await install('validating', { validations: [{ expression: 'object.data.a != "x"', message: 'seen' }] });
    expect(await outcome('c', { a: 'y' })).toEqual([422, 'seen']);
  });
});
