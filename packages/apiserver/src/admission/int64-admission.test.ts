import { type Exchange, readJson, writeJson } from '@coracle/apimachinery';
import { noMetrics, seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../server.fixture.js';
import { expressionEvaluator } from './expressions/evaluate-expressions.js';
import { mutatingPolicies } from './policies/mutating-policies.js';
import { validatingPolicies } from './policies/validating-policies.js';
import type { WebhookDependencies } from './webhooks/call-admission-webhook.js';
import { mutatingWebhooks } from './webhooks/mutating-webhooks.js';
import { WebhookMeter } from './webhooks/webhook-meter.js';

// biome-ignore lint/suspicious/noExplicitAny: objects of every kind
type Anything = any;

const nanos = 1763587200123456789n;
const most = 9223372036854775807n;
const registrations = '/apis/admissionregistration.k8s.io/v1';
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const boats = (version: string) => `/apis/example.com/${version}/namespaces/default/boats`;
const admit = { namespace: 'hooks', name: 'admit', path: '/admit' };
const convert = { namespace: 'hooks', name: 'convert', path: '/convert' };

let server: TestServer;
let texts: string[];

/** A webhook that gets and sends text, as one of another program does. */
function webhook(respond: (request: Anything) => object): Exchange {
  return async ({ body }) => {
    const text = new TextDecoder().decode(body?.kind === 'bytes' ? body.bytes : undefined);
    texts.push(text);
    const { kind, apiVersion, request } = readJson(text) as Anything;
    const answer = writeJson({ kind, apiVersion, response: { uid: request.uid, ...respond(request) } });
    return { status: 200, headers: {}, body: { kind: 'bytes', chunks: [new TextEncoder().encode(answer)] } };
  };
}

beforeEach(async () => {
  texts = [];
  const clock = new VirtualClock();
  const authorizer = { name: 'All', authorize: () => ({ kind: 'allow', reason: '' }) as const };
  server = await startTestServer({
    clock,
    admission: ({ objects, params, outbound }) => {
      const evaluate = expressionEvaluator(authorizer, () => ({}));
      const meter = new WebhookMeter({ clock, metrics: noMetrics });
      const deps: WebhookDependencies = {
        ...{ objects, outbound, clock, evaluate, meter },
        random: seededRandom(1),
        logger: silentLogger,
      };
      return [
        mutatingPolicies({ objects, params, evaluate }),
        mutatingWebhooks(deps),
        validatingPolicies({ objects, params, evaluate }),
      ];
    },
  });
  const { outbound } = server.server.parts;
  outbound.register(admit, {
    exchange: webhook(({ object }) => {
      const operations = [{ op: 'add', path: '/spec/next', value: BigInt(object.spec.id) + 1n }];
      return { allowed: true, patchType: 'JSONPatch', patch: btoa(writeJson(operations)) };
    }),
  });
  outbound.register(convert, {
    exchange: webhook(({ desiredAPIVersion: apiVersion, objects }) => ({
      result: { status: 'Success' },
      convertedObjects: objects.map((object: object) => ({ ...object, apiVersion })),
    })),
  });
  const integer = { type: 'integer', format: 'int64' };
  const spec = { type: 'object', properties: { id: integer, next: integer, twice: integer } };
  const names = { plural: 'boats', kind: 'Boat' };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema }));
  const conversion = {
    strategy: 'Webhook',
    webhook: { clientConfig: { service: convert }, conversionReviewVersions: ['v1'] },
  };
  const crd = {
    metadata: { name: 'boats.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions, conversion },
  };
  expect((await server.call('POST', crds, crd)).status).toBe(201);
  await clock.advance(1);
});

const boat = (version: string, id: bigint) => ({
  apiVersion: `example.com/${version}`,
  kind: 'Boat',
  metadata: { name: 'a' },
  spec: { id },
});
const resources = { operations: ['*'], apiGroups: ['example.com'], apiVersions: ['*'], resources: ['boats'] };

test('a conversion webhook gets and returns an int64 digit for digit', async () => {
  expect((await server.call('POST', boats('v2'), boat('v2', most))).body.spec).toEqual({ id: most });
  expect((await server.call('GET', `${boats('v2')}/a`)).body.spec).toEqual({ id: most });
  expect((await server.call('GET', boats('v2'))).body.items[0].spec).toEqual({ id: most });
  expect(texts.length).toBeGreaterThan(0);
  for (const text of texts) expect(text).toContain(`"id":${most}`);
});

test('an admission webhook gets an int64, and patches one', async () => {
  const hook = {
    clientConfig: { service: admit },
    rules: [resources],
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
  };
  const webhooks = [{ ...hook, name: 'one.example.com' }];
  await server.call('POST', `${registrations}/mutatingwebhookconfigurations`, { metadata: { name: 'h' }, webhooks });
  await server.clock.advance(1);
  const { body } = await server.call('POST', boats('v1'), boat('v1', nanos));
  expect(body.spec).toEqual({ id: nanos, next: nanos + 1n });
  expect(texts[0]).toContain(`"id":${nanos}`);
});

describe('policies', () => {
  const matchConstraints = { resourceRules: [resources] };

  async function install(kind: 'validating' | 'mutating', spec: object): Promise<void> {
    const policy = { metadata: { name: 'p' }, spec: { matchConstraints, ...spec } };
    const made = await server.call('POST', `${registrations}/${kind}admissionpolicies`, policy);
    expect([made.status, made.body.message]).toEqual([201, undefined]);
    const actions = kind === 'validating' ? { validationActions: ['Deny'] } : {};
    const binding = { metadata: { name: 'b' }, spec: { policyName: 'p', ...actions } };
    expect((await server.call('POST', `${registrations}/${kind}admissionpolicybindings`, binding)).status).toBe(201);
  }

  test('compare every digit', async () => {
    const validations = [
      { expression: `object.spec.id == ${nanos}`, messageExpression: '"not " + string(object.spec.id)' },
    ];
    await install('validating', { validations });
    const refused = await server.call('POST', boats('v1'), boat('v1', nanos + 1n));
    expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining(`not ${nanos + 1n}`)]);
    expect((await server.call('POST', boats('v1'), boat('v1', nanos))).status).toBe(201);
  });

  test.each([
    [
      'ApplyConfiguration',
      { applyConfiguration: { expression: 'Object{spec: Object.spec{twice: object.spec.id + 1}}' } },
    ],
    [
      'JSONPatch',
      { jsonPatch: { expression: '[JSONPatch{op: "add", path: "/spec/twice", value: object.spec.id + 1}]' } },
    ],
  ])('set every digit with %s', async (patchType, patch) => {
    await install('mutating', { reinvocationPolicy: 'Never', mutations: [{ patchType, ...patch }] });
    const { body } = await server.call('POST', boats('v1'), boat('v1', nanos));
    expect(body.spec).toEqual({ id: nanos, twice: nanos + 1n });
  });
});
