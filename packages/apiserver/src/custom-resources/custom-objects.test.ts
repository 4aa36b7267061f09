import { beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../server.fixture.js';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const kites = '/apis/example.org/v1/namespaces/default/kites';
const newKites = '/apis/example.org/v2/namespaces/default/kites';
const applied = { 'content-type': 'application/apply-patch+yaml' };
const merged = { 'content-type': 'application/merge-patch+json' };

const tail = { type: 'object', properties: { length: { type: 'integer' } } };
const v1 = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        strings: { type: 'integer' },
        colour: { type: 'string', nullable: true },
        shape: { type: 'string', default: 'diamond' },
        tail,
      },
    },
    status: { type: 'object', properties: { strings: { type: 'integer' } } },
  },
};
const v2 = structuredClone(v1) as { properties: { spec: { properties: Record<string, unknown> } } };
v2.properties.spec.properties['reel'] = { type: 'string', default: 'small' };

const scale = { specReplicasPath: '.spec.strings', statusReplicasPath: '.status.strings' };
const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'kites.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'kites', kind: 'Kite' },
    versions: [
      { name: 'v1', served: true, storage: true, subresources: { scale }, schema: { openAPIV3Schema: v1 } },
      { name: 'v2', served: true, storage: false, subresources: { scale }, schema: { openAPIV3Schema: v2 } },
    ],
  },
};

let it: TestServer;
beforeEach(async () => {
  it = await startTestServer();
  expect((await it.call('POST', crds, crd)).status).toBe(201);
  await it.clock.settle();
});

const kite = (spec: unknown, version = 'v1') => ({
  apiVersion: `example.org/${version}`,
  kind: 'Kite',
  metadata: { name: 'k' },
  spec,
});
const apply = (spec: unknown) => it.call('PATCH', `${kites}/k?fieldManager=one&force=true`, kite(spec), applied);

describe('a null that is applied', () => {
  test('stays where the schema allows it', async () => {
    expect((await apply({ colour: null })).body.spec).toEqual({ colour: null, shape: 'diamond' });
    expect((await apply({ colour: null, strings: 2 })).body.spec).toEqual({
      colour: null,
      shape: 'diamond',
      strings: 2,
    });
  });

  test('becomes the default of its field', async () => {
    expect((await apply({ shape: null })).body.spec).toEqual({ shape: 'diamond' });
  });

  test('is rejected in updates, though it is dropped in creates', async () => {
    const { status, body } = await apply({ strings: null });
    expect(status).toBe(422);
    expect(body.details.causes[0].message).toContain('must be of type integer: "null"');
    expect((await it.call('POST', kites, kite({ strings: null }))).body.spec).toEqual({ shape: 'diamond' });
  });
});

describe('the scale of a custom resource', () => {
  test.each([
    [{}, 'map[] is of the type map[string]interface {}, expected int64'],
    [[1], '[1] is of the type []interface {}, expected int64'],
    [1.5, '1.5 is of the type float64, expected int64'],
  ])('cannot be read from %j', async (strings, why) => {
    const { status, body } = await it.call('POST', kites, kite({ strings }));
    expect(status).toBe(422);
    const causes: { field: string; message: string }[] = body.details.causes;
    expect(causes.find(({ field }) => field === '.spec.strings')?.message).toBe(
      `Invalid value: 0: .spec.strings accessor error: ${why}`,
    );
  });

  test.each([
    [-1, 'should be a non-negative integer'],
    [2 ** 31, 'should be less than or equal to 2147483647'],
  ])('is not %d', async (strings, why) => {
    const { body } = await it.call('POST', kites, kite({ strings }));
    expect(body.message).toContain(why);
  });

  test('is set where it has no number yet, though it cannot be read', async () => {
    await it.call('POST', kites, kite({}));
    expect((await it.call('GET', `${kites}/k/scale`)).status).toBe(500);
    const { body } = await it.call('PATCH', `${kites}/k/scale`, { spec: { replicas: 4 } }, merged);
    expect(body.spec).toEqual({ replicas: 4 });
  });

  test('is shown as custom resources are', async () => {
    await it.call('POST', kites, kite({ strings: 2 }));
    const accept = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const { body } = await it.call('GET', `${kites}/k/scale`, undefined, accept);
    expect(body.columnDefinitions[0]).toMatchObject({ name: 'Name', format: 'name' });
    expect(body.rows[0].cells.slice(0, 3)).toEqual(['k', 2, 0]);
  });

  test('cannot be applied, as upstream cannot', async () => {
    await it.call('POST', kites, kite({ strings: 2 }));
    const config = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'k' }, spec: { replicas: 3 } };
    const { status, body } = await it.call('PATCH', `${kites}/k/scale?fieldManager=x&force=true`, config, applied);
    expect(status).toBe(500);
    expect(body.message).toContain('request to convert CR to an invalid group/version: autoscaling/v1');
  });
});

describe('versions that are only renamed', () => {
  test('note the owner of a field that is not stored', async () => {
    const { body } = await it.call('POST', `${newKites}?fieldManager=one`, kite({ strings: 2 }, 'v2'));
    expect(body.spec).toEqual({ strings: 2, shape: 'diamond' });
    expect(body.metadata.managedFields[0].fieldsV1['f:spec']).toEqual({
      '.': {},
      'f:reel': {},
      'f:shape': {},
      'f:strings': {},
    });
  });

  test('lose their managed fields where those cannot be compared', async () => {
    await it.call('POST', `${kites}?fieldManager=one`, kite({ strings: 2 }));
    const { body } = await it.call('PATCH', `${newKites}/k?fieldManager=two`, { spec: { strings: 3 } }, merged);
    expect(body.metadata.managedFields).toBeUndefined();
  });

  test('cannot be applied then', async () => {
    await it.call('POST', `${kites}?fieldManager=one`, kite({ strings: 2 }));
    const { status, body } = await it.call(
      'PATCH',
      `${newKites}/k?fieldManager=two&force=true`,
      kite({ reel: 'large' }, 'v2'),
      applied,
    );
    expect(status).toBe(500);
    expect(body.message).toBe('failed to convert new object: .spec.reel: field not declared in schema');
  });
});
