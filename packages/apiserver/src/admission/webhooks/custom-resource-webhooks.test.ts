import type { Exchange } from '@coracle/apimachinery';
import { noMetrics, seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import { beforeEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../server.fixture.js';
import { expressionEvaluator } from '../expressions/evaluate-expressions.js';
import type { WebhookDependencies } from './call-admission-webhook.js';
import { mutatingWebhooks } from './mutating-webhooks.js';
import { WebhookMeter } from './webhook-meter.js';

// biome-ignore lint/suspicious/noExplicitAny: objects of every kind
type Anything = any;

const service = { namespace: 'hooks', name: 'hook', path: '/review' };
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const boats = (version: string) => `/apis/example.com/${version}/namespaces/default/boats`;
const text = { type: 'string' };
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const twoStages = { type: 'object', properties: { start: text, 'stage-1': text } };

let server: TestServer;
let reviews: Anything[];
let clock: VirtualClock;

/** Each stage follows from the one before, as in upstream's conformance tests. */
const exchange: Exchange = async ({ body }) => {
  const review = JSON.parse(new TextDecoder().decode(body?.kind === 'bytes' ? body.bytes : undefined));
  const { uid, object } = review.request;
  reviews.push(review.request);
  const { data = {} } = object;
  const operations = [
    ...(data.start && !data['stage-1'] ? [{ op: 'add', path: '/data/stage-1', value: 'yes' }] : []),
    ...(data['stage-1'] && !data['stage-2'] ? [{ op: 'add', path: '/data/stage-2', value: 'yes' }] : []),
  ];
  const patch = operations.length > 0 && { patchType: 'JSONPatch', patch: btoa(JSON.stringify(operations)) };
  const value = { ...review, request: undefined, response: { uid, allowed: true, ...patch } };
  return { status: 200, headers: {}, body: { kind: 'value', value } };
};

beforeEach(async () => {
  reviews = [];
  clock = new VirtualClock();
  const authorizer = { name: 'All', authorize: () => ({ kind: 'allow', reason: '' }) as const };
  server = await startTestServer({
    clock,
    admission: ({ objects, outbound }) => {
      const evaluate = expressionEvaluator(authorizer, () => ({}));
      const meter = new WebhookMeter({ clock, metrics: noMetrics });
      const deps: WebhookDependencies = {
        ...{ objects, outbound, clock, evaluate, meter },
        random: seededRandom(1),
        logger: silentLogger,
      };
      return [mutatingWebhooks(deps)];
    },
  });
  server.server.parts.outbound.register(service, { exchange });
});

async function install(schema: object): Promise<void> {
  const names = { plural: 'boats', kind: 'Boat' };
  const openAPIV3Schema = { type: 'object', properties: { data: schema } };
  const versions = ['v1', 'v2'].map((name) => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema },
  }));
  const spec = { group: 'example.com', scope: 'Namespaced', names, versions };
  expect((await server.call('POST', crds, { metadata: { name: 'boats.example.com' }, spec })).status).toBe(201);
  const rules = [{ operations: ['*'], apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['boats'] }];
  const webhook = { clientConfig: { service }, rules, admissionReviewVersions: ['v1'], sideEffects: 'None' };
  await server.call('POST', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
    metadata: { name: 'stages' },
    webhooks: ['one', 'two'].map((name) => ({ ...webhook, name: `${name}.example.com` })),
  });
  await clock.advance(1);
}

const boat = (version: string) => ({
  apiVersion: `example.com/${version}`,
  kind: 'Boat',
  metadata: { name: 'a' },
  data: { start: 'yes' },
});
const merge = { 'content-type': 'application/merge-patch+json' };

test('fields that a webhook adds beside the schema are dropped', async () => {
  await install(twoStages);
  const { body } = await server.call('POST', boats('v1'), boat('v1'));
  expect(body.data).toEqual({ start: 'yes', 'stage-1': 'yes' });
});

test('objects are changed in the version of the webhook after another one has become the stored one', async () => {
  await install(open);
  expect((await server.call('POST', boats('v1'), boat('v1'))).body.data['stage-2']).toBe('yes');
  const crd = (await server.call('GET', `${crds}/boats.example.com`)).body;
  const versions = crd.spec.versions.map((version: Anything) => ({ ...version, storage: version.name === 'v2' }));
  const changed = await server.call('PATCH', `${crds}/boats.example.com`, { spec: { versions } }, merge);
  expect([changed.status, changed.body.status.storedVersions]).toEqual([200, ['v1', 'v2']]);
  await clock.advance(1);
  const patched = await server.call('PATCH', `${boats('v1')}/a`, { data: { 'stage-1': null, dummy: 'x' } }, merge);
  expect([patched.status, patched.body.apiVersion, patched.body.data]).toEqual([
    200,
    'example.com/v1',
    { start: 'yes', 'stage-1': 'yes', 'stage-2': 'yes', dummy: 'x' },
  ]);
  expect((await server.call('GET', `${boats('v2')}/a`)).body).toMatchObject({
    apiVersion: 'example.com/v2',
    data: { dummy: 'x' },
  });
});

test('objects are changed in the version that has just become the stored one', async () => {
  await install(open);
  await server.call('POST', boats('v1'), boat('v1'));
  const crd = (await server.call('GET', `${crds}/boats.example.com`)).body;
  const versions = crd.spec.versions.map((version: Anything) => ({ ...version, storage: version.name === 'v2' }));
  await server.call('PATCH', `${crds}/boats.example.com`, { spec: { versions } }, merge);
  await clock.advance(1);
  const json = { 'content-type': 'application/json-patch+json' };
  const patch = [{ op: 'add', path: '/data/dummy', value: 'x' }];
  const patched = await server.call('PATCH', `${boats('v2')}/a`, patch, json);
  expect([patched.status, patched.body.apiVersion, patched.body.data]).toEqual([
    200,
    'example.com/v2',
    { start: 'yes', 'stage-1': 'yes', 'stage-2': 'yes', dummy: 'x' },
  ]);
});

test('a request in another version is converted to the version of the webhook', async () => {
  await install(open);
  const made = await server.call('POST', boats('v2'), boat('v2'));
  expect([made.status, made.body.apiVersion]).toEqual([201, 'example.com/v2']);
  expect(made.body.data).toEqual({ start: 'yes', 'stage-1': 'yes', 'stage-2': 'yes' });
  expect(reviews[0]).toMatchObject({
    kind: { version: 'v1' },
    requestKind: { version: 'v2' },
    object: { apiVersion: 'example.com/v1' },
  });
});
