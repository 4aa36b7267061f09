import { refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { portsSchema } from './ports-schema.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of every kind are read without types
type Any = any;

const group = 'conformance.example.com';
const crdsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, seed: 1 });
});
afterAll(() => cluster?.stop());

async function call(method: string, path: string, body?: unknown, contentType?: string): Promise<Any> {
  const options = { ...(body !== undefined && { body }), ...(contentType && { contentType }) };
  const answer = await cluster.client.raw(method, path, options);
  return { code: answer.status, ...(answer.body as object) };
}

const peer = { user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] } };

/** The same with a body as it was written: what is in it twice stays there. */
async function send(
  method: string,
  [path, query]: readonly [string, string],
  text: string,
  type: string,
): Promise<Any> {
  const body = { kind: 'bytes' as const, bytes: new TextEncoder().encode(text) };
  const headers = { accept: 'application/json', 'content-type': type };
  const answer = await cluster.controlPlane.server.exchange({ method, path, query, headers, peer, body });
  const chunks = answer.body?.kind === 'bytes' ? answer.body.chunks : [];
  return JSON.parse(chunks.map((chunk) => new TextDecoder().decode(chunk)).join(''));
}

const version = (name: string, schema: object, storage = true) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object', ...schema } },
});

/** A CRD that is served. */
async function define(plural: string, versions: readonly object[], labels = {}): Promise<string> {
  const kind = plural[0]?.toUpperCase() + plural.slice(1, -1);
  const name = `${plural}.${group}`;
  const spec = { group, scope: 'Cluster', names: { plural, kind }, versions };
  const { code } = await call('POST', crdsPath, { metadata: { name, labels }, spec });
  expect(code).toBe(201);
  await cluster.settled();
  return name;
}

const preserving = { 'x-kubernetes-preserve-unknown-fields': true };

/** Upstream's tests of "CustomResourceDefinition resources". */
describe('CRDs', () => {
  test('listing custom resource definition objects works', async () => {
    for (let i = 0; i < 10; i++) await define(`list${i}s`, [version('v1', preserving)], { listed: 'yes' });
    await define('others', [version('v1', preserving)]);
    const { items } = await call('GET', `${crdsPath}?labelSelector=listed%3Dyes`);
    expect(items).toHaveLength(10);
    await call('DELETE', `${crdsPath}?labelSelector=listed%3Dyes`);
    await cluster.settled();
    expect((await call('GET', `${crdsPath}?labelSelector=listed%3Dyes`)).items).toEqual([]);
    expect((await call('GET', `${crdsPath}/others.${group}`)).code).toBe(200);
  });

  test('getting/updating/patching custom resource definition status sub-resource works', async () => {
    const name = await define('statuses', [version('v1', preserving)]);
    const { code: _code, ...read } = await call('GET', `${crdsPath}/${name}/status`);
    const condition = { type: '', status: '', lastTransitionTime: null, message: 'updated' };
    const conditions = [...read.status.conditions, condition];
    const changed = { ...read, status: { ...read.status, conditions } };
    const updated = await cluster.client.resource(refs.customResourceDefinitions).updateStatus(changed);
    expect(JSON.stringify(updated.status)).toContain('"message":"updated"');
    const patch = [{ op: 'add', path: '/status/conditions', value: [{ message: 'patched' }] }];
    await call('PATCH', `${crdsPath}/${name}/status`, patch, 'application/json-patch+json');
    const after = await cluster.client.resource(refs.customResourceDefinitions).get(name);
    expect(JSON.stringify(after.status)).toContain('"message":"patched"');
  });

  test('custom resource defaulting for requests and from storage works', async () => {
    const properties = { a: { type: 'string' }, b: { type: 'string' } };
    const name = await define('defaults', [version('v1', { properties, ...preserving })]);
    const path = `/apis/${group}/v1/defaults`;
    const create = (one: string) =>
      call('POST', path, { apiVersion: `${group}/v1`, kind: 'Default', metadata: { name: one } });
    const change = async (...operations: readonly { op: string; field: string; value?: string }[]) => {
      const at = '/spec/versions/0/schema/openAPIV3Schema/properties';
      const patch = operations.map(({ field, ...rest }) => ({ ...rest, path: `${at}/${field}/default` }));
      expect((await call('PATCH', `${crdsPath}/${name}`, patch, 'application/json-patch+json')).kind).toBe(
        'CustomResourceDefinition',
      );
      await cluster.settled();
    };
    await create('one');
    await change({ op: 'add', field: 'a', value: 'A' });
    expect((await call('GET', `${path}/one`)).a).toBe('A');
    expect((await create('two')).a).toBe('A');
    await change({ op: 'remove', field: 'a' }, { op: 'add', field: 'b', value: 'B' });
    expect(await call('GET', `${path}/two`)).toMatchObject({ a: 'A', b: 'B' });
    const one = await call('GET', `${path}/one`);
    expect([one.a, one.b]).toEqual([undefined, 'B']);
  });
});

/** Upstream's tests of "FieldValidation". */
describe('field validation', () => {
  const strict = 'fieldManager=field_validation_mgr&fieldValidation=Strict';
  const template = {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    properties: {
      metadata: { type: 'object', properties: { name: { type: 'string' } } },
      spec: { type: 'object' },
    },
  };
  const properties = { foo: { type: 'string' }, cronSpec: { type: 'string' }, ports: portsSchema };
  const withSpec = (spec: object) => version('v1', { properties: { spec: { type: 'object', ...spec } } });

  beforeAll(async () => {
    await define('strictones', [withSpec({ properties })]);
    await define('freeones', [version('v1', preserving)]);
    await define('keepones', [withSpec({ properties, ...preserving })]);
    await define('embedones', [withSpec({ properties: { ...properties, template }, ...preserving })]);
  });

  const apply = (plural: string, ...lines: readonly string[]) => {
    const kind = plural[0]?.toUpperCase() + plural.slice(1, -1);
    const head = ['', `apiVersion: ${group}/v1`, `kind: ${kind}`, 'metadata:', '  name: mytest'];
    const path = `/apis/${group}/v1/${plural}/mytest`;
    return send('PATCH', [path, strict], [...head, ...lines].join('\n'), 'application/apply-patch+yaml');
  };
  const finalizers = ['  finalizers:', '  - test-finalizer'];
  const port = ['  ports:', '  - name: x', '    containerPort: 80', '    protocol: TCP'];
  const good = ['spec:', '  foo: foo1', '  cronSpec: "* * * * */5"', ...port];

  test('should create/apply a valid CR for CRD with validation schema', async () => {
    expect((await apply('strictones', ...finalizers, ...good)).kind).toBe('Strictone');
  });

  test('should create/apply a CR with unknown fields for CRD with no validation schema', async () => {
    expect((await apply('freeones', ...finalizers, ...good, '  unknown: uk1')).kind).toBe('Freeone');
  });

  test.each([
    [
      'extra properties',
      'strictones',
      [...finalizers, 'unknownField: unknown', ...good],
      '.unknownField: field not declared in schema',
    ],
    [
      'unknown metadata',
      'embedones',
      ['  unknownMeta: unknown', ...finalizers, ...good],
      '.metadata.unknownMeta: field not declared in schema',
    ],
    [
      'unknown metadata of an embedded object',
      'embedones',
      [
        ...finalizers,
        ...good,
        '  template:',
        '    apiVersion: foo/v1',
        '    kind: Sub',
        '    metadata:',
        '      unknownSubMeta: unknown',
        '      name: sub',
      ],
      '.spec.template.metadata.unknownSubMeta: field not declared in schema',
    ],
    [
      'duplicates',
      'keepones',
      [...finalizers, 'spec:', '  unknown: uk1', '  foo: foo1', '  foo: foo2'],
      'line 11: key "foo" already set in map',
    ],
  ] as const)('should detect %s', async (_what, plural, lines, message) => {
    expect((await apply(plural, ...lines)).message).toContain(message);
  });

  test('should detect unknown and duplicate fields of a typed object', async () => {
    const text = (metadata: string, spec: string) =>
      `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"my-dep"${metadata}},"spec":{${spec}
        "selector":{"matchLabels":{"app":"nginx"}},"template":{"metadata":{"labels":{"app":"nginx"}},
        "spec":{"containers":[{"name":"nginx","image":"nginx:latest"}]}}}}`;
    const create = (body: string) =>
      send('POST', ['/apis/apps/v1/namespaces/default/deployments', strict], body, 'application/json');
    const twice = await create(text('', '"unknownField":"foo","replicas":2,"replicas":3,'));
    expect(twice.message).toContain(
      'strict decoding error: unknown field "spec.unknownField", duplicate field "spec.replicas"',
    );
    const unknown = await create(text(',"unknownMeta":"foo"', ''));
    expect(unknown.message).toContain('strict decoding error: unknown field "metadata.unknownMeta"');
  });
});

/** Upstream's tests of "CustomResourcePublishOpenAPI", in both documents. */
describe('published schemas', () => {
  const schema = {
    description: 'Foo CRD for Testing',
    properties: {
      spec: { type: 'object', description: 'Specification of Foo', properties: { a: { type: 'string' } } },
    },
  };
  const own = ['apiVersion', 'kind', 'metadata'];

  async function published(versionName: string, kind: string): Promise<object | undefined> {
    const { definitions: all } = await call('GET', '/openapi/v2');
    const found = all[`com.example.conformance.${versionName}.${kind}`];
    const v3 = await call('GET', `/openapi/v3/apis/${group}/${versionName}`);
    const isInV3 = v3.components?.schemas?.[`com.example.conformance.${versionName}.${kind}`] !== undefined;
    expect(isInV3).toBe(found !== undefined);
    if (!found) return undefined;
    const { 'x-kubernetes-group-version-kind': _kinds, properties, ...rest } = found;
    const left = Object.entries(properties ?? {}).filter(([name]) => !own.includes(name));
    return { ...rest, ...(left.length > 0 && { properties: Object.fromEntries(left) }) };
  }

  test('follow renamed versions, and those that are no longer served', async () => {
    const name = await define('foos', [version('v2', schema), version('v3', schema, false)]);
    const whole = { type: 'object', ...schema };
    expect([await published('v2', 'Foo'), await published('v3', 'Foo')]).toEqual([whole, whole]);
    const change = async (path: string, value: unknown) => {
      const patch = [{ op: 'replace', path: `/spec/versions/1/${path}`, value }];
      await call('PATCH', `${crdsPath}/${name}`, patch, 'application/json-patch+json');
      await cluster.settled();
    };
    await change('name', 'v4');
    expect([await published('v4', 'Foo'), await published('v3', 'Foo')]).toEqual([whole, undefined]);
    await change('served', false);
    expect([await published('v2', 'Foo'), await published('v4', 'Foo')]).toEqual([whole, undefined]);
  });

  test('of a CRD without validation schema allow any field', async () => {
    await define('empties', [version('v1', preserving)]);
    expect(await published('v1', 'Emptie')).toEqual({ type: 'object' });
  });
});
