import { writeJson } from '@coracle/apimachinery';
import { VirtualClock } from '@coracle/base';
import { beforeEach, describe, expect, test } from 'vitest';
import type { TestServer } from '../../server.fixture.js';
import { installWebhook, type Review, startWebhookServer } from './webhook-server.fixture.js';

const configmaps = '/api/v1/namespaces/default/configmaps';
const boats = '/apis/example.com/v1/namespaces/default/boats';

let server: TestServer;
let clock: VirtualClock;
/** The patch that the webhook answers with. */
let patch: readonly object[];
let seen: Review[];

beforeEach(async () => {
  patch = [];
  seen = [];
  clock = new VirtualClock();
  server = await startWebhookServer(clock, ({ object }) => {
    seen.push(object);
    return patch.length > 0 ? { patchType: 'JSONPatch', patch: btoa(writeJson(patch)) } : {};
  });
  const names = { plural: 'boats', kind: 'Boat' };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema }));
  await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'boats.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions },
  });
  await installWebhook(server, 'mutating');
  await clock.advance(1);
});

const set = (path: string, value: unknown) => ({ op: 'replace', path, value });
const createConfigMap = () => server.call('POST', configmaps, { metadata: { name: 'a' } });
const createBoat = () =>
  server.call('POST', boats, { apiVersion: 'example.com/v1', kind: 'Boat', metadata: { name: 'a' } });

describe('a patch that makes a built-in object one of another kind', () => {
  const scheme = 'in scheme "pkg/api/legacyscheme/scheme.go:30"';

  test.each([
    [[set('/kind', 'Secret')], undefined, 'converting (v1.Secret) to (core.ConfigMap): unknown conversion'],
    [
      [set('/apiVersion', 'apps/v1'), set('/kind', 'Deployment')],
      undefined,
      'converting (v1.Deployment) to (core.ConfigMap): unknown conversion',
    ],
    [
      [set('/kind', 'Boat')],
      'InternalError',
      `Internal error occurred: no kind "Boat" is registered for version "v1" ${scheme}`,
    ],
    [
      [set('/apiVersion', 'v9')],
      'InternalError',
      `Internal error occurred: no kind "ConfigMap" is registered for version "v9" ${scheme}`,
    ],
    [[set('/apiVersion', 'a/b/c')], 'InternalError', 'Internal error occurred: unexpected GroupVersion string: a/b/c'],
    [
      [set('/kind', 7)],
      'InternalError',
      "Internal error occurred: couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    ],
  ])('is refused: %j', async (operations, reason, message) => {
    patch = operations;
    const { status, body } = await createConfigMap();
    expect([status, body.reason, body.message]).toEqual([500, reason, message]);
    expect((await server.call('GET', `${configmaps}/a`)).status).toBe(404);
  });

  test('is refused on update too', async () => {
    const { body: made } = await createConfigMap();
    patch = [set('/kind', 'Secret')];
    const { status, body } = await server.call('PUT', `${configmaps}/a`, { ...made, data: { k: 'v' } });
    expect([status, body.message]).toEqual([500, 'converting (v1.Secret) to (core.ConfigMap): unknown conversion']);
  });

  test('is none if it removes the kind', async () => {
    patch = [{ op: 'remove', path: '/kind' }, set('/apiVersion', ''), { op: 'add', path: '/data', value: { k: 'v' } }];
    const { status, body } = await createConfigMap();
    expect([status, body.kind, body.apiVersion, body.data]).toEqual([201, 'ConfigMap', 'v1', { k: 'v' }]);
  });

  test('is none if it writes the object in another version', async () => {
    const target = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };
    const metric = {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 7 } },
    };
    patch = [set('/apiVersion', 'autoscaling/v2'), { op: 'add', path: '/spec/metrics', value: [metric] }];
    const path = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
    const spec = { maxReplicas: 2, scaleTargetRef: target };
    const { status, body } = await server.call('POST', path, { metadata: { name: 'a' }, spec });
    expect([status, body.apiVersion, body.spec.targetCPUUtilizationPercentage]).toEqual([201, 'autoscaling/v1', 7]);
  });
});

describe('a patch that makes a custom object one of another kind', () => {
  test.each([
    [[set('/kind', 'Ship')], 422, 'Ship.example.com "a" is invalid: kind: Invalid value: "Ship": must be Boat'],
    [
      [set('/apiVersion', 'example.com/v9')],
      500,
      'request to convert CR from an invalid group/version: example.com/v9',
    ],
    [
      [set('/apiVersion', 'v1')],
      500,
      '/v1, Kind=Boat is unstructured and is not suitable for converting to "example.com/v1"',
    ],
    [
      [{ op: 'remove', path: '/kind' }],
      500,
      `Internal error occurred: Object 'Kind' is missing in '{"apiVersion":"example.com/v1",`,
    ],
    [
      [
        { op: 'add', path: '/large', value: 2n ** 63n - 1n },
        { op: 'remove', path: '/kind' },
      ],
      500,
      '"large":9223372036854775807',
    ],
  ])('is refused: %o', async (operations, code, message) => {
    patch = operations;
    const { status, body } = await createBoat();
    expect([status, body.message]).toEqual([code, expect.stringContaining(message)]);
  });

  test('is none if it writes the object in another version', async () => {
    patch = [set('/apiVersion', 'example.com/v2'), { op: 'add', path: '/oars', value: 2 }];
    const { status, body } = await createBoat();
    expect([status, body.apiVersion, body.oars]).toEqual([201, 'example.com/v1', 2]);
  });
});

describe('a patch that changes the name or the namespace', () => {
  const elsewhere = 'the namespace of the provided object does not match the namespace sent on the request';

  test('creates the object with that name', async () => {
    patch = [set('/metadata/name', 'b')];
    expect((await createConfigMap()).body.metadata.name).toBe('b');
    patch = [];
    expect((await server.call('GET', `${configmaps}/a`)).status).toBe(404);
    expect((await server.call('GET', `${configmaps}/b`)).status).toBe(200);
  });

  test('is refused on update', async () => {
    const { body: made } = await createConfigMap();
    patch = [set('/metadata/name', 'b')];
    const { status, body } = await server.call('PUT', `${configmaps}/a`, { ...made, data: { k: 'v' } });
    expect([status, body.details.causes[0]]).toMatchObject([422, { field: 'metadata.name' }]);
  });

  test('is refused if it is another namespace', async () => {
    patch = [set('/metadata/namespace', 'other')];
    const created = await createConfigMap();
    expect([created.status, created.body.message]).toEqual([400, elsewhere]);
    patch = [];
    const { body: made } = await createConfigMap();
    patch = [set('/metadata/namespace', 'other')];
    const updated = await server.call('PUT', `${configmaps}/a`, { ...made, data: { k: 'v' } });
    expect([updated.status, updated.body.message]).toEqual([400, elsewhere]);
  });

  test('has no effect if it removes the namespace', async () => {
    patch = [{ op: 'remove', path: '/metadata/namespace' }];
    expect((await createConfigMap()).body.metadata.namespace).toBe('default');
  });
});

test('webhooks see an update before its resourceVersion is checked', async () => {
  const { body: made } = await createConfigMap();
  const { resourceVersion: _, ...metadata } = made.metadata;
  await server.call('PUT', `${configmaps}/a`, { ...made, metadata, data: { k: 'v' } });
  const stale = await server.call('PUT', `${configmaps}/a`, { ...made, data: { k: 'w' } });
  expect([stale.status, seen.map(({ metadata, data }) => [metadata.resourceVersion, data])]).toEqual([
    409,
    [
      [undefined, undefined],
      [undefined, { k: 'v' }],
      [made.metadata.resourceVersion, { k: 'w' }],
    ],
  ]);
});
