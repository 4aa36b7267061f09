import { type ApiRequest, bodyBytes } from '@coracle/apimachinery';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../server.fixture.js';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const clocks = '/apis/example.org/v1/namespaces/default/clocks';
const merged = { 'content-type': 'application/merge-patch+json' };
const jsonPatched = { 'content-type': 'application/json-patch+json' };
const applied = { 'content-type': 'application/apply-patch+yaml' };
const yaml = { 'content-type': 'application/yaml' };

const nanos = 1763587200123456789n;
const most = 9223372036854775807n;
const least = -9223372036854775808n;

const integer = { type: 'integer', format: 'int64' };
const spec = {
  type: 'object',
  properties: {
    id: integer,
    anything: { 'x-kubernetes-preserve-unknown-fields': true },
    marks: { type: 'array', items: integer, 'x-kubernetes-list-type': 'set' },
    hands: {
      type: 'array',
      items: { type: 'object', required: ['at'], properties: { at: integer, note: { type: 'string' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['at'],
    },
    since: { ...integer, default: nanos },
    ratio: { type: 'number' },
    small: { type: 'integer', minimum: 1, maximum: 9007199254740993n },
    even: { type: 'integer', multipleOf: 2 },
    one: { type: 'integer', enum: [most, nanos] },
    short: { type: 'integer', format: 'int32' },
    either: { 'x-kubernetes-int-or-string': true },
    text: { type: 'string' },
    total: { type: 'integer' },
    parts: { type: 'array', maxItems: 3, items: { type: 'integer' } },
  },
  'x-kubernetes-validations': [
    {
      rule: '!has(self.total) || self.total == self.parts[0] + self.parts[1]',
      message: 'wrong total',
    },
  ],
};
const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'clocks.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'clocks', kind: 'Clock' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        selectableFields: [{ jsonPath: '.spec.id' }],
        additionalPrinterColumns: [
          { name: 'Id', type: 'integer', jsonPath: '.spec.id' },
          { name: 'Text', type: 'string', jsonPath: '.spec.id' },
          { name: 'Number', type: 'number', jsonPath: '.spec.id' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec, status: { type: 'object', properties: { timestampNs: integer } } },
          },
        },
      },
    ],
  },
};

let it: TestServer;
beforeEach(async () => {
  it = await startTestServer();
  const { status, body } = await it.call('POST', crds, crd);
  expect([status, body.message]).toEqual([201, undefined]);
  await it.clock.settle();
});

const clock = (more: object, name = 'c') => ({
  apiVersion: 'example.org/v1',
  kind: 'Clock',
  metadata: { name },
  spec: more,
});
const create = (more: object, name = 'c') => it.call('POST', clocks, clock(more, name));
const specNow = async () => (await it.call('GET', `${clocks}/c`)).body.spec;

async function textOf(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const request: ApiRequest = {
    method: 'GET',
    path,
    query: '',
    headers,
    peer: { user: { name: 'admin', groups: [] } },
  };
  const { body } = await it.server.exchange(request);
  if (body.kind === 'value' || body.kind === 'values') throw new Error('no bytes');
  return new TextDecoder().decode(await bodyBytes(body));
}

describe('an int64 comes back digit for digit', () => {
  const writes: [string, () => Promise<{ status: number }>][] = [
    ['POST', () => create({ id: most })],
    [
      'POST of YAML',
      () =>
        it.call(
          'POST',
          clocks,
          `apiVersion: example.org/v1\nkind: Clock\nmetadata: {name: c}\nspec: {id: ${most}}\n`,
          yaml,
        ),
    ],
    [
      'PUT',
      async () => {
        const { body } = await create({ id: 1 });
        return it.call('PUT', `${clocks}/c`, { ...body, spec: { id: most } });
      },
    ],
    [
      'a merge patch',
      async () => {
        await create({ id: 1 });
        return it.call('PATCH', `${clocks}/c`, { spec: { id: most } }, merged);
      },
    ],
    [
      'a JSON patch',
      async () => {
        await create({ id: nanos });
        const patch = [
          { op: 'test', path: '/spec/id', value: nanos },
          { op: 'replace', path: '/spec/id', value: most },
        ];
        return it.call('PATCH', `${clocks}/c`, patch, jsonPatched);
      },
    ],
    ['server-side apply', () => it.call('PATCH', `${clocks}/c?fieldManager=one`, clock({ id: most }), applied)],
    [
      'server-side apply of YAML',
      () =>
        it.call(
          'PATCH',
          `${clocks}/c?fieldManager=one`,
          `apiVersion: example.org/v1\nkind: Clock\nmetadata: {name: c}\nspec:\n  id: ${most}\n`,
          applied,
        ),
    ],
  ];

  test.each(writes)('after %s', async (_, write) => {
    const watch = await it.watch(`${clocks}?watch=1`);
    expect([200, 201]).toContain((await write()).status);
    expect(await specNow()).toMatchObject({ id: most, since: nanos });
    const { body } = await it.call('GET', clocks);
    expect(body.items[0].spec).toMatchObject({ id: most, since: nanos });
    await it.clock.settle();
    expect(watch.events.at(-1)?.object.spec).toMatchObject({ id: most });
    watch.stop();
    expect(await textOf(`${clocks}/c`)).toContain(`"id":${most}`);
    expect(await textOf(clocks)).toContain(`"since":${nanos}`);
    expect(await textOf(`${clocks}/c`, { accept: 'application/yaml' })).toContain(`id: ${most}\n`);
  });

  test('in the status', async () => {
    await create({});
    const patch = { status: { timestampNs: nanos } };
    expect((await it.call('PATCH', `${clocks}/c/status`, patch, merged)).body.status).toEqual({ timestampNs: nanos });
  });

  test('in the cells of a table', async () => {
    await create({ id: most });
    const accept = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const { body } = await it.call('GET', clocks, undefined, accept);
    expect(body.rows[0].cells.slice(1, 3)).toEqual([most, String(most)]);
    expect(body.rows[0].cells[3]).toBe(Number(most));
  });

  test('in a field selector', async () => {
    await create({ id: most });
    await create({ id: most - 1n }, 'd');
    const { body } = await it.call('GET', `${clocks}?fieldSelector=spec.id%3D${most}`);
    expect(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['c']);
  });

  test('for a server that starts on the same store', async () => {
    await create({ id: least, anything: { deep: [most, { x: nanos }] } });
    it = await startTestServer({ store: it.store });
    await it.clock.settle();
    expect(await specNow()).toEqual({ id: least, since: nanos, anything: { deep: [most, { x: nanos }] } });
  });

  test('in the defaults and enums of the definition, and in OpenAPI', async () => {
    const { body } = await it.call('GET', `${crds}/clocks.example.org`);
    const { properties } = body.spec.versions[0].schema.openAPIV3Schema.properties.spec;
    expect(properties.since.default).toBe(nanos);
    expect(properties.one.enum).toEqual([most, nanos]);
    expect(await textOf('/openapi/v3/apis/example.org/v1')).toContain(`"default":${nanos}`);
    expect(await textOf('/openapi/v2')).toContain(`"enum":[${most},${nanos}]`);
  });

  test('as an item of a set and as the key of a map, which tell neighbours apart', async () => {
    const both = { marks: [most, most - 1n], hands: [{ at: nanos }, { at: nanos + 1n }] };
    const first = await it.call('PATCH', `${clocks}/c?fieldManager=one`, clock(both), applied);
    expect(first.body.spec).toMatchObject(both);
    const fields = first.body.metadata.managedFields[0].fieldsV1['f:spec'];
    expect(Object.keys(fields['f:marks'])).toEqual([`v:${most - 1n}`, `v:${most}`]);
    expect(Object.keys(fields['f:hands'])).toEqual([`k:{"at":${nanos}}`, `k:{"at":${nanos + 1n}}`]);
    const note = clock({ marks: [most], hands: [{ at: nanos + 1n, note: 'x' }] });
    const second = await it.call('PATCH', `${clocks}/c?fieldManager=two`, note, applied);
    expect(second.body.spec.hands).toEqual([{ at: nanos }, { at: nanos + 1n, note: 'x' }]);
    const third = await it.call('PATCH', `${clocks}/c?fieldManager=one`, clock({ marks: [] }), applied);
    expect(third.body.spec).toMatchObject({ marks: [most], hands: [{ at: nanos + 1n, note: 'x' }] });
  });
});

test('a write that changes nothing but the last digit is a change', async () => {
  const { body } = await create({ id: most });
  const same = await it.call('PATCH', `${clocks}/c`, { spec: { id: most } }, merged);
  expect(same.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  const other = await it.call('PATCH', `${clocks}/c`, { spec: { id: most - 1n } }, merged);
  expect(other.body.metadata).toMatchObject({ generation: 2 });
  expect(other.body.spec.id).toBe(most - 1n);
});

describe('a schema', () => {
  test.each([
    [`{"small":${most}}`, 'spec.small', 'should be less than or equal to 9007199254740992'],
    [`{"small":9007199254740993}`, 'spec.small', 'should be less than or equal to 9007199254740992'],
    [`{"small":${least}}`, 'spec.small', 'should be greater than or equal to 1'],
    [`{"even":${most}}`, 'spec.even', 'should be a multiple of 2'],
    [`{"one":${most - 1n}}`, 'spec.one', `supported values: "${most}", "${nanos}"`],
    [`{"short":${nanos}}`, '<nil>', 'Checked value must be of type integer with format int32'],
    [`{"text":${nanos}}`, 'spec.text', 'must be of type string: "integer"'],
    ['{"id":9223372036854775808}', 'spec.id', 'must be of type int64: "float64"'],
    ['{"id":1e18}', 'spec.id', 'must be of type int64: "float64"'],
    [`{"total":${nanos},"parts":[${nanos},1]}`, 'spec', 'wrong total'],
  ])('refuses %s', async (json, field, why) => {
    const { status, body } = await it.call(
      'POST',
      clocks,
      `{"apiVersion":"example.org/v1","kind":"Clock","metadata":{"name":"c"},"spec":${json}}`,
    );
    expect(status).toBe(422);
    const causes: { field: string; message: string }[] = body.details.causes;
    expect(causes.map((cause) => cause.field)).toContain(field);
    expect(body.message).toContain(why);
  });

  test.each([
    [`{"even":${most - 1n}}`],
    [`{"one":${most}}`],
    [`{"ratio":${most}}`],
    [`{"either":${most}}`],
    [`{"total":${nanos + 1n},"parts":[${nanos},1]}`],
  ])('accepts %s', async (json) => {
    const { status, body } = await it.call(
      'POST',
      clocks,
      `{"apiVersion":"example.org/v1","kind":"Clock","metadata":{"name":"c"},"spec":${json}}`,
    );
    expect([status, body.message]).toEqual([201, undefined]);
  });
});

test.each([
  ['18446744073709551616', '18446744073709552000'],
  ['9223372036854775808', '9223372036854776000'],
  ['1e21', '1e+21'],
  ['1e3', '1000'],
  ['1.0', '1'],
  ['-0', '0'],
  ['1e18', '1000000000000000000'],
  [String(least), String(least)],
])('%s without a type is written as %s', async (sent, written) => {
  const json = `{"apiVersion":"example.org/v1","kind":"Clock","metadata":{"name":"c"},"spec":{"anything":${sent}}}`;
  expect((await it.call('POST', clocks, json)).status).toBe(201);
  expect(await textOf(`${clocks}/c`)).toContain(`"anything":${written},`);
});

describe('a built-in int64', () => {
  const jobs = '/apis/batch/v1/namespaces/default/jobs';
  const job = (seconds: string) =>
    `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{"activeDeadlineSeconds":${seconds},"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"b"}]}}}}`;
  const protobuf = { accept: 'application/vnd.kubernetes.protobuf' };

  test('keeps its digits in JSON and in protobuf', async () => {
    expect((await it.call('POST', jobs, job(String(most)))).body.spec.activeDeadlineSeconds).toBe(most);
    expect((await it.call('GET', `${jobs}/j`)).body.spec.activeDeadlineSeconds).toBe(most);
    const request: ApiRequest = {
      method: 'GET',
      path: `${jobs}/j`,
      query: '',
      headers: protobuf,
      peer: { user: { name: 'a', groups: [] } },
    };
    const { body } = await it.server.exchange(request);
    if (body.kind !== 'bytes') throw new Error('no bytes');
    const bytes = await bodyBytes(body);
    const sent = await it.server.exchange({
      ...request,
      method: 'PUT',
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf', accept: 'application/json' },
      body: { kind: 'bytes', bytes },
    });
    expect(sent.status).toBe(200);
    expect((await it.call('GET', `${jobs}/j`)).body.spec.activeDeadlineSeconds).toBe(most);
  });

  test.each(['9223372036854775808', '1e3', '1.0'])('is not %s', async (seconds) => {
    const { status, body } = await it.call('POST', jobs, job(seconds));
    expect(status).toBe(400);
    expect(body.message).toContain(
      `json: cannot unmarshal number ${seconds} into Go struct field JobSpec.spec.activeDeadlineSeconds of type int64`,
    );
  });
});
