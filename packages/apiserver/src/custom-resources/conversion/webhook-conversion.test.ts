import type { Exchange } from '@coracle/apimachinery';
import { beforeEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../server.fixture.js';

// biome-ignore lint/suspicious/noExplicitAny: objects of every kind
type Anything = any;

const service = { namespace: 'hooks', name: 'convert', path: '/convert' };
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const boats = (version: string) => `/apis/example.com/${version}/namespaces/default/boats`;

let server: TestServer;
let reviews: Anything[];
/** What the webhook does wrong. */
let spoil: (response: Anything) => object;

/** v1 has a hostPort, v2 a host and a port. */
function convert({ hostPort, host, port, ...object }: Anything, apiVersion: string): object {
  if (apiVersion.endsWith('v2')) {
    const [first, second] = (hostPort ?? '').split(':');
    return { ...object, apiVersion, host: first, port: second };
  }
  return { ...object, apiVersion, hostPort: `${host}:${port}` };
}

const exchange: Exchange = async ({ body }) => {
  const review = JSON.parse(new TextDecoder().decode(body?.kind === 'bytes' ? body.bytes : undefined));
  const { uid, desiredAPIVersion, objects } = review.request;
  reviews.push(review.request);
  const convertedObjects = objects.map((object: Anything) => convert(object, desiredAPIVersion));
  const response = spoil({ uid, convertedObjects, result: { status: 'Success' } });
  const value = { kind: review.kind, apiVersion: review.apiVersion, response };
  return { status: 200, headers: {}, body: { kind: 'value', value } };
};

const crd = (stored: string) => ({
  metadata: { name: 'boats.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'boats', kind: 'Boat' },
    versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === stored, schema })),
    conversion: {
      strategy: 'Webhook',
      webhook: { clientConfig: { service }, conversionReviewVersions: ['v1'] },
    },
  },
});

const text = { type: 'string' };
const fieldsOf = (version: string): object => (version === 'v1' ? { hostPort: text } : { host: text, port: text });

const boat = (name: string, version = 'v1', more: object = { hostPort: 'here:80' }) => ({
  apiVersion: `example.com/${version}`,
  kind: 'Boat',
  metadata: { name },
  ...more,
});

beforeEach(async () => {
  reviews = [];
  spoil = (response) => response;
  server = await startTestServer();
  server.server.parts.outbound.register(service, { exchange });
  await server.call('POST', crds, crd('v1'));
  await server.clock.advance(1);
});

const get = async (name: string, version: string) => (await server.call('GET', `${boats(version)}/${name}`)).body;

test('CRD-17 objects are read in another version as the webhook converts them', async () => {
  await server.call('POST', boats('v1'), boat('a'));
  expect(reviews).toEqual([]);
  expect(await get('a', 'v2')).toMatchObject({ apiVersion: 'example.com/v2', host: 'here', port: '80' });
  expect(await get('a', 'v2')).toMatchObject({ host: 'here' });
  expect(reviews).toHaveLength(1);
});

test('objects are written in another version', async () => {
  const made = await server.call('POST', boats('v2'), boat('a', 'v2', { host: 'h', port: '1' }));
  expect([made.status, made.body.host]).toEqual([201, 'h']);
  expect(await get('a', 'v1')).toMatchObject({ apiVersion: 'example.com/v1', hostPort: 'h:1' });
  const changed = await server.call('PUT', `${boats('v2')}/a`, { ...made.body, port: '2' });
  expect([changed.status, (await get('a', 'v1')).hostPort]).toEqual([200, 'h:2']);
  const headers = { 'content-type': 'application/merge-patch+json' };
  await server.call('PATCH', `${boats('v2')}/a`, { port: '3' }, headers);
  expect((await get('a', 'v1')).hostPort).toBe('h:3');
});

test('server-side apply tracks fields across versions', async () => {
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  await server.call('POST', boats('v1'), boat('a'));
  const apply = (body: object, manager: string) =>
    server.call('PATCH', `${boats('v2')}/a?fieldManager=${manager}`, body, headers);
  const refused = await apply(boat('a', 'v2', { host: 'there' }), 'me');
  expect([refused.status, refused.body.reason]).toEqual([409, 'Conflict']);
  const same = await apply(boat('a', 'v2', { host: 'here' }), 'me');
  expect([same.status, same.body.host]).toEqual([200, 'here']);
});

test('a list is converted in batches, and watches see converted objects in order', async () => {
  for (let i = 0; i < 3; i++) await server.call('POST', boats('v1'), boat(`b${i}`));
  const watch = await server.watch(`${boats('v2')}?watch=1`);
  const { body } = await server.call('GET', boats('v2'));
  expect(body.items.map(({ host, metadata }: Anything) => [metadata.name, host])).toEqual([
    ['b0', 'here'],
    ['b1', 'here'],
    ['b2', 'here'],
  ]);
  expect(reviews.map(({ objects }) => objects.length)).toEqual([3]);
  await server.call('POST', boats('v1'), boat('b3', 'v1', { hostPort: 'late:1' }));
  await server.call('DELETE', `${boats('v1')}/b3`);
  await server.clock.advance(10);
  expect(watch.events.map(({ type, object }) => [type, object.metadata.name, object.host])).toEqual([
    ['ADDED', 'b0', 'here'],
    ['ADDED', 'b1', 'here'],
    ['ADDED', 'b2', 'here'],
    ['ADDED', 'b3', 'late'],
    ['DELETED', 'b3', 'late'],
  ]);
  watch.stop();
});

test('objects are selected by fields of the version of the request', async () => {
  const spec = crd('v1').spec;
  const versions = spec.versions.map((version) => ({
    ...version,
    schema: { openAPIV3Schema: { type: 'object', properties: fieldsOf(version.name) } },
    selectableFields: Object.keys(fieldsOf(version.name)).map((name) => ({ jsonPath: `.${name}` })),
  }));
  const current = (await server.call('GET', `${crds}/boats.example.com`)).body;
  const changed = await server.call('PUT', `${crds}/boats.example.com`, { ...current, spec: { ...spec, versions } });
  expect(changed.status).toBe(200);
  await server.clock.advance(1);
  const watch = await server.watch(`${boats('v2')}?watch=1&fieldSelector=host%3Dhost1`);
  for (const [name, host, port] of [
    ['a', 'host1', '80'],
    ['b', 'host1', '8080'],
    ['c', 'host2', '80'],
  ] as const)
    expect((await server.call('POST', boats('v2'), boat(name, 'v2', { host, port }))).status).toBe(201);
  const selected = async (version: string, selector: string) => {
    const { status, body } = await server.call(
      'GET',
      `${boats(version)}?fieldSelector=${encodeURIComponent(selector)}`,
    );
    return status === 200 ? body.items.map(({ metadata }: Anything) => metadata.name) : status;
  };
  expect(await selected('v2', 'host=host1')).toEqual(['a', 'b']);
  expect(await selected('v2', 'host=host1,port=80')).toEqual(['a']);
  expect(await selected('v1', 'hostPort=host1:8080')).toEqual(['b']);
  expect([await selected('v1', 'host=host1'), await selected('v2', 'hostPort=host1:80')]).toEqual([400, 400]);
  const deletion = `${boats('v2')}?fieldSelector=${encodeURIComponent('host=host1,port=80')}`;
  expect((await server.call('DELETE', deletion)).status).toBe(200);
  const headers = { 'content-type': 'application/merge-patch+json' };
  await server.call('PATCH', `${boats('v2')}/b`, { host: 'host2' }, headers);
  expect(await selected('v2', 'host=host1')).toEqual([]);
  await server.clock.advance(10);
  expect(watch.events.map(({ type, object }) => [type, object.metadata.name])).toEqual([
    ['ADDED', 'a'],
    ['ADDED', 'b'],
    ['DELETED', 'a'],
    ['DELETED', 'b'],
  ]);
  watch.stop();
});

/** Ten thousand writes take a few seconds, and longer on a machine under load. */
const longList = 120_000;

test(
  '10,000 objects are listed with 20 calls of the webhook, and with none the second time',
  async () => {
    const count = 10_000;
    for (let i = 0; i < count; i++)
      await server.call('POST', boats('v1'), boat(`b${i}`, 'v1', { hostPort: `h${i}:1` }));
    const { status, body } = await server.call('GET', boats('v2'));
    expect([status, body.items.length]).toEqual([200, count]);
    expect(body.items.filter(({ host, metadata }: Anything) => `b${host.slice(1)}` !== metadata.name)).toEqual([]);
    expect(reviews.map(({ objects }) => objects.length)).toEqual(Array.from({ length: 20 }, () => 500));
    const names = reviews.flatMap(({ objects }) => objects.map(({ metadata }: Anything) => metadata.name));
    expect(new Set(names).size).toBe(count);
    await server.call('GET', `${boats('v2')}?limit=500`);
    expect(reviews).toHaveLength(20);
  },
  longList,
);

test('a page of a list is converted in one request, and a changed object in its own', async () => {
  for (let i = 0; i < 12; i++) await server.call('POST', boats('v1'), boat(`b${10 + i}`));
  const { body } = await server.call('GET', `${boats('v2')}?limit=5`);
  expect(reviews.map(({ objects }) => objects.length)).toEqual([5]);
  await server.call('GET', `${boats('v2')}?limit=5&continue=${body.metadata.continue}`);
  expect(reviews.map(({ objects }) => objects.length)).toEqual([5, 5]);
  const headers = { 'content-type': 'application/merge-patch+json' };
  await server.call('PATCH', `${boats('v1')}/b10`, { hostPort: 'new:1' }, headers);
  await server.call('GET', `${boats('v2')}?limit=5`);
  expect(reviews.map(({ objects }) => objects.length)).toEqual([5, 5, 1]);
});

test('objects that were stored in an earlier version are converted when they are read or written', async () => {
  await server.call('POST', boats('v1'), boat('a'));
  const { body } = await server.call('GET', `${crds}/boats.example.com`);
  await server.call('PUT', `${crds}/boats.example.com`, { ...body, spec: crd('v2').spec });
  await server.clock.advance(1);
  expect(await get('a', 'v2')).toMatchObject({ apiVersion: 'example.com/v2', host: 'here', port: '80' });
  expect(await get('a', 'v1')).toMatchObject({ apiVersion: 'example.com/v1', hostPort: 'here:80' });
  const headers = { 'content-type': 'application/merge-patch+json' };
  const patched = await server.call('PATCH', `${boats('v1')}/a`, { hostPort: 'new:1' }, headers);
  expect([patched.status, patched.body.hostPort]).toEqual([200, 'new:1']);
  expect(await get('a', 'v2')).toMatchObject({ host: 'new', port: '1' });
});

test.each([['Webhook'], ['None']])(
  'objects in a version that is no longer stored are read by its schema of today, with conversion by %s',
  async (strategy) => {
    const keel = { type: 'string', default: 'oak' };
    const specOf = (properties: object) => {
      const { conversion, ...spec } = crd('v2').spec;
      const versions = spec.versions.map((version) => ({
        ...version,
        schema: { openAPIV3Schema: version.name === 'v1' ? { type: 'object', properties } : schema.openAPIV3Schema },
      }));
      return { ...spec, versions, conversion: strategy === 'None' ? { strategy } : conversion };
    };
    const change = async (spec: object) => {
      const { body } = await server.call('GET', `${crds}/boats.example.com`);
      expect((await server.call('PUT', `${crds}/boats.example.com`, { ...body, spec })).status).toBe(200);
      await server.clock.advance(1);
    };
    await server.call('POST', boats('v1'), boat('a', 'v1', { hostPort: 'here:80', mast: 'tall' }));
    await change(specOf({ hostPort: text, mast: text }));
    const first = await get('a', 'v1');
    expect([first.mast, first.keel]).toEqual(['tall', undefined]);
    await change(specOf({ hostPort: text, keel }));
    const second = await get('a', 'v1');
    expect([second.hostPort, second.mast, second.keel]).toEqual(['here:80', undefined, 'oak']);
    expect((await get('a', 'v2')).keel).toBe('oak');
  },
);

test.each([
  ['a failure', (r: Anything) => ({ ...r, result: { status: 'Failed', message: 'no idea' } }), 'failed: no idea'],
  ['too few objects', (r: Anything) => ({ ...r, convertedObjects: [] }), 'returned 0 objects, expected 1'],
  [
    'another name',
    (r: Anything) => ({
      ...r,
      convertedObjects: r.convertedObjects.map((o: Anything) => ({ ...o, metadata: { ...o.metadata, name: 'x' } })),
    }),
    'returned invalid converted object at index 0: must have the same name: a != x',
  ],
])('%s is reported to the client, and not cached', async (_name, wrong, message) => {
  await server.call('POST', boats('v1'), boat('a'));
  spoil = wrong;
  const failed = await server.call('GET', `${boats('v2')}/a`);
  expect([failed.status, failed.body.message]).toEqual([
    500,
    `conversion webhook for example.com/v1, Kind=Boat ${message}`,
  ]);
  spoil = (response) => response;
  expect(await get('a', 'v2')).toMatchObject({ host: 'here' });
});
