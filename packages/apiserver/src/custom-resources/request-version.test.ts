import type { Exchange } from '@coracle/apimachinery';
import { beforeEach, describe, expect, test } from 'vitest';
import { expressionEvaluator } from '../admission/expressions/evaluate-expressions.js';
import { validatingPolicies } from '../admission/policies/validating-policies.js';
import type { Authorizer } from '../authorization/authorizer.js';
import { startTestServer, type TestServer } from '../server.fixture.js';

// biome-ignore lint/suspicious/noExplicitAny: objects of every kind
type Anything = any;

const service = { namespace: 'hooks', name: 'convert', path: '/convert' };
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const boats = (version: string) => `/apis/example.com/${version}/namespaces/default/boats`;

const specOf = (properties: object, rules: readonly object[] = []) => ({
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties, 'x-kubernetes-validations': rules } },
  },
});

/** What v1 stores is stricter in `size`; v2 has a rule, a default and a field of its own. */
const schemas: Readonly<Record<string, object>> = {
  v1: specOf({
    size: { type: 'integer', maximum: 10 },
    sails: { type: 'integer', default: 1 },
    mast: { type: 'string' },
  }),
  v2: specOf(
    {
      size: { type: 'integer' },
      sails: { type: 'integer', default: 2 },
      keel: { type: 'string', enum: ['long', 'fin'] },
    },
    [{ rule: '!has(self.size) || self.size != 7', message: 'no seven' }],
  ),
};

const crd = (conversion: object) => ({
  metadata: { name: 'boats.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'boats', kind: 'Boat' },
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: schemas[name],
      subresources: { status: {} },
    })),
    conversion,
  },
});

const boat = (version: string, spec: object, more: object = {}) => ({
  apiVersion: `example.com/${version}`,
  kind: 'Boat',
  metadata: { name: 'a' },
  spec,
  ...more,
});

let server: TestServer;
let requestedVersions: string[];

const messages = ({ status, body }: Anything) => [
  status,
  ...(body.details?.causes ?? []).map((cause: Anything) => cause.field).filter((field: string) => field !== '<nil>'),
];

const denyAll: Authorizer = { name: 'None', authorize: async () => ({ kind: 'deny', reason: '' }) };

/** Adds a field that no version has, as careless webhooks do. */
const exchange: Exchange = async ({ body }) => {
  const review = JSON.parse(new TextDecoder().decode(body?.kind === 'bytes' ? body.bytes : undefined));
  const { uid, desiredAPIVersion, objects } = review.request;
  requestedVersions.push(desiredAPIVersion);
  const convertedObjects = objects.map((object: Anything) => ({
    ...object,
    apiVersion: desiredAPIVersion,
    spec: { ...object.spec, invented: true },
  }));
  const response = { uid, convertedObjects, result: { status: 'Success' } };
  return { status: 200, headers: {}, body: { kind: 'value', value: { ...review, request: undefined, response } } };
};

const webhook = { strategy: 'Webhook', webhook: { clientConfig: { service }, conversionReviewVersions: ['v1'] } };

describe.each([
  ['none', { strategy: 'None' }],
  ['a webhook', webhook],
])('conversion by %s', (_name, conversion) => {
  beforeEach(async () => {
    requestedVersions = [];
    server = await startTestServer({
      admission: ({ objects, params }) => [
        validatingPolicies({ objects, params, evaluate: expressionEvaluator(denyAll, () => ({})) }),
      ],
    });
    server.server.parts.outbound.register(service, { exchange });
    await server.call('POST', crds, crd(conversion));
    await server.clock.advance(1);
  });

  test('writes are validated by the schema of the version of the request', async () => {
    const tooLarge = await server.call('POST', boats('v1'), boat('v1', { size: 11 }));
    expect(messages(tooLarge)).toEqual([422, 'spec.size']);
    expect(messages(await server.call('POST', boats('v2'), boat('v2', { keel: 'none' })))).toEqual([422, 'spec.keel']);
    expect(messages(await server.call('POST', boats('v2'), boat('v2', { size: 7 })))).toEqual([422, 'spec']);
    expect(requestedVersions).toEqual([]);
    const made = await server.call('POST', boats('v2'), boat('v2', { size: 11 }));
    expect([made.status, made.body.spec]).toEqual([201, { size: 11, sails: 2 }]);
    const changed = await server.call('PUT', `${boats('v2')}/a`, { ...made.body, spec: { size: 7 } });
    expect(messages(changed)).toEqual([422, 'spec']);
  });

  test('updates, patches, applications and deletions in another version', async () => {
    await server.call(
      'POST',
      boats('v2'),
      boat('v2', { size: 11 }, { metadata: { name: 'a', finalizers: ['x.io/y'] } }),
    );
    const merge = { 'content-type': 'application/merge-patch+json' };
    const patched = await server.call('PATCH', `${boats('v2')}/a`, { spec: { size: 12 } }, merge);
    expect([patched.status, patched.body.spec, patched.body.metadata.generation]).toEqual([
      200,
      { size: 12, sails: 2 },
      2,
    ]);
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    const applied = await server.call(
      'PATCH',
      `${boats('v2')}/a?fieldManager=me&force=true`,
      boat('v2', { size: 13 }),
      apply,
    );
    expect([applied.status, applied.body.spec.size]).toEqual([200, 13]);
    const dry = await server.call('PATCH', `${boats('v2')}/a?dryRun=All`, { spec: { size: 14 } }, merge);
    expect([dry.body.apiVersion, dry.body.spec.size]).toEqual(['example.com/v2', 14]);
    const deleted = await server.call('DELETE', `${boats('v2')}/a`);
    expect([deleted.status, deleted.body.apiVersion]).toEqual([200, 'example.com/v2']);
    expect(deleted.body.metadata.deletionTimestamp).toBeDefined();
    const { body } = await server.call('GET', `${boats('v1')}/a`);
    expect([body.apiVersion, body.spec.size, body.metadata.deletionTimestamp]).toEqual([
      'example.com/v1',
      13,
      deleted.body.metadata.deletionTimestamp,
    ]);
  });

  test('fields that the storage version does not have are dropped, and those that no version has', async () => {
    const made = await server.call('POST', boats('v2'), boat('v2', { keel: 'fin', size: 1 }));
    expect([made.status, made.body.spec]).toEqual([201, { size: 1, sails: 2 }]);
    expect((await server.call('GET', `${boats('v1')}/a`)).body.spec).toEqual({ size: 1, sails: 2 });
  });

  test('admission policies see the fields of the version of the request', async () => {
    const admission = '/apis/admissionregistration.k8s.io/v1';
    const metadata = { name: 'keels' };
    await server.call('POST', `${admission}/validatingadmissionpolicies`, {
      metadata,
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: ['example.com'], apiVersions: ['v2'], resources: ['boats'], operations: ['CREATE'] },
          ],
        },
        validations: [{ expression: "!has(object.spec.keel) || object.spec.keel != 'long'" }],
      },
    });
    await server.call('POST', `${admission}/validatingadmissionpolicybindings`, {
      metadata,
      spec: { policyName: 'keels', validationActions: ['Deny'] },
    });
    await server.clock.advance(1000);
    expect((await server.call('POST', boats('v2'), boat('v2', { keel: 'long' }))).status).toBe(422);
    expect((await server.call('POST', boats('v2'), boat('v2', { keel: 'fin' }))).status).toBe(201);
  });
});

test('batches of a conversion are bounded by their bytes', async () => {
  server = await startTestServer();
  requestedVersions = [];
  server.server.parts.outbound.register(service, { exchange });
  await server.call('POST', crds, crd(webhook));
  await server.clock.advance(1);
  const mast = 'm'.repeat(1024 * 1024);
  for (let i = 0; i < 6; i++)
    await server.call('POST', boats('v1'), boat('v1', { mast }, { metadata: { name: `b${i}` } }));
  expect(requestedVersions).toEqual([]);
  const { body } = await server.call('GET', boats('v2'));
  expect([body.items.length, requestedVersions.length]).toEqual([6, 2]);
});
