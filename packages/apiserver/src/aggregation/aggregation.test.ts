import {
  type ApiRequest,
  type ApiResponse,
  acceptsValues,
  type ByteSink,
  channelPair,
  type Exchange,
  writeJson,
} from '@coracle/apimachinery';
import { PrometheusMetrics } from '@coracle/base';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../server.fixture.js';

const services = '/apis/apiregistration.k8s.io/v1/apiservices';
const flunders = '/apis/wardle.example.com/v1/namespaces/default/flunders';
const place = { namespace: 'wardle', name: 'api' };

const json = (value: unknown, status = 200): ApiResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: { kind: 'bytes', chunks: [new TextEncoder().encode(writeJson(value))] },
});

const document = {
  kind: 'APIResourceList',
  groupVersion: 'wardle.example.com/v1',
  resources: [
    {
      name: 'flunders',
      singularName: 'flunder',
      namespaced: true,
      kind: 'Flunder',
      verbs: ['get', 'list'],
      shortNames: ['fl'],
    },
    { name: 'flunders/status', singularName: '', namespaced: true, kind: 'Flunder', verbs: ['get'] },
  ],
};

const flunder = { type: 'object', properties: { id: { type: 'integer', default: 2n ** 63n - 1n } } };

let server: TestServer;
let requests: ApiRequest[];
let isWell: boolean;

const exchange: Exchange = async (request) => {
  requests.push(request);
  if (!isWell) return json({}, 500);
  switch (request.path) {
    case '/apis/wardle.example.com/v1':
      return json(document);
    case '/openapi/v2':
      return json({
        paths: {
          '/apis/wardle.example.com/v1/namespaces/{namespace}/flunders': { $ref: '#/definitions/Flunder' },
          '/version/': {},
        },
        definitions: { Flunder: flunder, Other: {} },
      });
    case '/openapi/v3':
      return json({
        paths: { 'apis/wardle.example.com/v1': { serverRelativeURL: '/openapi/v3/apis/wardle.example.com/v1?hash=1' } },
      });
    case '/openapi/v3/apis/wardle.example.com/v1':
      return json({ openapi: '3.0.0' });
    default:
      return request.query.includes('watch') ? streaming() : json({ kind: 'FlunderList', items: [] });
  }
};

const streaming = (): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: {
    kind: 'stream',
    stream: {
      open: (sink: ByteSink) => {
        sink.write(new TextEncoder().encode('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n'));
        sink.end();
      },
    },
  },
});

const apiService = {
  metadata: { name: 'v1.wardle.example.com' },
  spec: {
    group: 'wardle.example.com',
    version: 'v1',
    service: { ...place, port: 443 },
    groupPriorityMinimum: 2000,
    versionPriority: 200,
    insecureSkipTLSVerify: true,
  },
};

const merge = { 'content-type': 'application/merge-patch+json' };
const settle = () => server.clock.advance(10);
const condition = async (name = 'v1.wardle.example.com') =>
  (await server.call('GET', `${services}/${name}`)).body.status?.conditions?.[0];

beforeEach(async () => {
  requests = [];
  isWell = true;
  server = await startTestServer();
});

async function install(): Promise<void> {
  server.server.parts.outbound.register(place, {
    exchange,
    upgrade: async (request, [protocol = '']) => {
      requests.push(request);
      return channelPair(protocol)[0];
    },
  });
  expect((await server.call('POST', services, apiService)).status).toBe(201);
  await settle();
}

describe('AGG-01 requests for a group of another server', () => {
  test('are proxied as their user', async () => {
    await install();
    const { status, body } = await server.call('GET', `${flunders}?limit=5`, undefined, {
      'x-remote-user': 'forged',
      authorization: 'Bearer x',
    });
    const { method, path, query, headers, rawHeaders = [] } = requests.at(-1) as ApiRequest;
    expect([status, body.kind, method, path, query]).toEqual([200, 'FlunderList', 'GET', flunders, 'limit=5']);
    expect([headers['x-remote-user'], headers['authorization']]).toEqual(['admin', undefined]);
    const groups = rawHeaders.flatMap((name, at) => (name === 'x-remote-group' ? [rawHeaders[at + 1]] : []));
    expect(groups).toEqual(['system:masters', 'system:authenticated']);
  });

  test('may have values as responses in the same process, if the client accepts them', async () => {
    await install();
    const request = { method: 'GET', path: flunders, query: '', headers: {} };
    await server.server.exchange({ ...request, headers: { [acceptsValues]: '1' } });
    await server.server.exchange(request);
    expect(requests.slice(-2).map(({ headers }) => headers[acceptsValues])).toEqual(['1', undefined]);
  });

  test('may be watches', async () => {
    await install();
    const { body } = await server.server.exchange({ method: 'GET', path: flunders, query: 'watch=1', headers: {} });
    expect(body.kind).toBe('stream');
  });

  test('may open channels', async () => {
    await install();
    const request = { method: 'GET', path: `${flunders}/a/exec`, query: '', headers: {} };
    const opened = await server.server.upgrade(request, ['v5.channel.k8s.io']);
    expect(opened).toMatchObject({ protocol: 'v5.channel.k8s.io' });
  });

  test('fail while the server is unavailable', async () => {
    isWell = false;
    await install();
    expect(await condition()).toMatchObject({
      status: 'False',
      reason: 'FailedDiscoveryCheck',
      message:
        'failing or missing response from https://api.wardle.svc:443/apis/wardle.example.com/v1: bad status from https://api.wardle.svc:443/apis/wardle.example.com/v1: 500',
    });
    expect((await server.call('GET', flunders)).status).toBe(503);
    isWell = true;
    await server.clock.advance(31_000);
    expect(await condition()).toMatchObject({ status: 'True', reason: 'Passed', message: 'all checks passed' });
    expect((await server.call('GET', flunders)).status).toBe(200);
  });

  test('are counted as unavailable for alert rules, until the APIService is deleted', async () => {
    const metrics = new PrometheusMetrics();
    server = await startTestServer({ metrics });
    await install();
    const lines = () =>
      metrics
        .render()
        .split('\n')
        .filter((line) => /^aggregator.*wardle/.test(line));
    const gauge = 'aggregator_unavailable_apiservice{name="v1.wardle.example.com"}';
    expect(lines()).toEqual([`${gauge} 0`]);
    isWell = false;
    await server.clock.advance(61_000);
    const total =
      'aggregator_unavailable_apiservice_total{name="v1.wardle.example.com",reason="FailedDiscoveryCheck"} 1';
    expect(lines()).toEqual([`${gauge} 1`, total]);
    await server.call('DELETE', `${services}/v1.wardle.example.com`);
    await settle();
    expect(lines()).toEqual([`${gauge} 0`, total]);
  });

  test('are served soon after the server becomes available', async () => {
    isWell = false;
    await install();
    await server.clock.advance(1_000);
    isWell = true;
    await server.clock.advance(1_000);
    expect((await server.call('GET', flunders)).status).toBe(200);
    const requestCount = requests.length;
    await server.clock.advance(20_000);
    expect(requests.length).toBe(requestCount);
  });

  test('are not served any more when the APIService is deleted', async () => {
    await install();
    await server.call('DELETE', `${services}/v1.wardle.example.com`);
    expect((await server.call('GET', flunders)).status).toBe(404);
  });
});

describe('the condition Available', () => {
  test('is checked again when the endpoints of its service change, and not when others do', async () => {
    await install();
    await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'wardle' } });
    await settle();
    const before = requests.length;
    const slices = '/apis/discovery.k8s.io/v1/namespaces/wardle/endpointslices';
    const endpoints = async (service: string) => {
      const metadata = { name: `${service}-1`, labels: { 'kubernetes.io/service-name': service } };
      await server.call('POST', slices, { metadata, addressType: 'IPv4', endpoints: [], ports: [] });
      await settle();
      return requests.length - before;
    };
    expect(await endpoints('web')).toBe(0);
    expect(await endpoints('api')).toBe(1);
  });

  test('reports the problem with the service', async () => {
    await server.call('POST', services, apiService);
    await settle();
    expect(await condition()).toMatchObject({
      reason: 'ServiceNotFound',
      message: 'service/api in "wardle" is not present',
    });
    await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'wardle' } });
    const spec = { clusterIP: 'None', ports: [{ port: 443 }] };
    await server.call('POST', '/api/v1/namespaces/wardle/services', { metadata: { name: 'api' }, spec });
    await settle();
    expect(await condition()).toMatchObject({
      reason: 'EndpointsNotFound',
      message: 'cannot find endpointslices for service/api in "wardle"',
    });
    const metadata = { name: 'api-1', labels: { 'kubernetes.io/service-name': 'api' } };
    const slice = { metadata, addressType: 'IPv4', endpoints: [], ports: [] };
    await server.call('POST', '/apis/discovery.k8s.io/v1/namespaces/wardle/endpointslices', slice);
    await settle();
    expect(await condition()).toMatchObject({
      reason: 'MissingEndpoints',
      message: 'endpointslices for service/api in "wardle" have no addresses with port name ""',
    });
  });
});

test('an APIService is changed, its status too, and deleted as part of a collection', async () => {
  await install();
  const path = `${services}/v1.wardle.example.com`;
  const patched = await server.call('PATCH', path, { spec: { versionPriority: 400 } }, merge);
  expect(patched.body.spec.versionPriority).toBe(400);
  // Go writes times that are not set as `null`.
  const condition = (type: string) => ({
    type,
    status: 'True',
    lastTransitionTime: null,
    reason: 'E2E',
    message: 'set',
  });
  const read = (await server.call('GET', `${path}/status`)).body;
  const conditions = [...read.status.conditions, condition('StatusUpdated')];
  expect((await server.call('PUT', `${path}/status`, { ...read, status: { conditions } })).status).toBe(200);
  const status = { conditions: [...conditions, condition('StatusPatched')] };
  expect((await server.call('PATCH', `${path}/status`, { status }, merge)).status).toBe(200);
  await server.clock.advance(31_000);
  const { body } = await server.call('GET', path);
  expect(body.status.conditions.map(({ type }: { type: string }) => type)).toEqual([
    'Available',
    'StatusUpdated',
    'StatusPatched',
  ]);
  const labels = { 'e2e-apiservice': 'updated' };
  await server.call('PUT', path, { ...body, metadata: { ...body.metadata, labels } });
  expect((await server.call('DELETE', `${services}?labelSelector=e2e-apiservice%3Dupdated`)).status).toBe(200);
  expect((await server.call('GET', path)).status).toBe(404);
});

describe('DISC-10 discovery', () => {
  test('reports the groups of other servers, by their priority', async () => {
    await install();
    const { body } = await server.call('GET', '/apis');
    const names = body.groups.map(({ name }: { name: string }) => name);
    expect(names.slice(-1)).toEqual(['wardle.example.com']);
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const aggregated = await server.call('GET', '/apis', undefined, { accept });
    expect(aggregated.body.items.at(-1)).toMatchObject({
      metadata: { name: 'wardle.example.com' },
      versions: [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [{ resource: 'flunders', subresources: [{ subresource: 'status' }] }],
        },
      ],
    });
    expect((await server.call('GET', '/apis/wardle.example.com/v1')).body).toEqual(document);
    expect((await server.call('GET', '/apis/wardle.example.com')).body.preferredVersion.version).toBe('v1');
  });

  test('OpenAPI documents include those of other servers', async () => {
    await install();
    const v2 = (await server.call('GET', '/openapi/v2')).body;
    expect([
      v2.paths['/apis/wardle.example.com/v1/namespaces/{namespace}/flunders'],
      v2.definitions.Flunder,
      v2.definitions.Other,
      v2.paths['/api/v1/namespaces/{namespace}/pods'] !== undefined,
    ]).toEqual([{ $ref: '#/definitions/Flunder' }, flunder, undefined, true]);
    const v3 = (await server.call('GET', '/openapi/v3')).body;
    expect([v3.paths['apis/wardle.example.com/v1'], v3.paths['api/v1'] !== undefined]).toEqual([
      { serverRelativeURL: '/openapi/v3/apis/wardle.example.com/v1?hash=1' },
      true,
    ]);
    expect((await server.call('GET', '/openapi/v3/apis/wardle.example.com/v1')).body).toEqual({ openapi: '3.0.0' });
  });
});

test('AGG-02 group versions of CRDs are registered, and removed with them', async () => {
  const schema = { openAPIV3Schema: { type: 'object' } };
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await server.call('POST', crds, {
    metadata: { name: 'boats.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'boats', kind: 'Boat' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  await settle();
  const { body } = await server.call('GET', `${services}/v1.example.com`);
  expect([body.metadata.labels, body.spec]).toEqual([
    { 'kube-aggregator.kubernetes.io/automanaged': 'true' },
    { group: 'example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 },
  ]);
  expect(await condition('v1.example.com')).toMatchObject({ reason: 'Local', status: 'True' });
  await server.call('DELETE', `${crds}/boats.example.com`);
  await settle();
  expect((await server.call('GET', `${services}/v1.example.com`)).status).toBe(404);
});
