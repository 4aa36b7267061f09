import { VirtualClock } from '@coracle/base';
import { createMemoryStore, type Store } from '@coracle/store';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../server.fixture.js';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const boats = '/apis/example.org/v1/namespaces/default/boats';
const peer = { user: { name: 'admin', groups: ['system:masters'] } };

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['oars'],
      properties: {
        oars: { type: 'integer', minimum: 1, maximum: 8 },
        crew: { type: 'string', default: 'two', pattern: '^[a-z]+$', maxLength: 10 },
        sails: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, area: { type: 'integer', default: 5 } },
          },
        },
        home: {
          type: 'string',
          'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'boats stay at home' }],
        },
        cargo: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        colour: { type: 'string', enum: ['red', 'blue'] },
      },
      'x-kubernetes-validations': [{ rule: 'self.oars % 2 == 0', message: 'oars come in pairs' }],
    },
    status: { type: 'object', properties: { oars: { type: 'integer' } } },
  },
};

const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'boats', kind: 'Boat', shortNames: ['bt'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.oars', statusReplicasPath: '.status.oars' } },
        additionalPrinterColumns: [{ name: 'Oars', type: 'integer', jsonPath: '.spec.oars' }],
        selectableFields: [{ jsonPath: '.spec.colour' }],
        schema: { openAPIV3Schema: schema },
      },
    ],
  },
};

let it: TestServer;
let store: Store;
beforeEach(async () => {
  store = await createMemoryStore({ clock: new VirtualClock() });
  it = await startTestServer({ store });
  expect((await it.call('POST', crds, crd)).status).toBe(201);
  await it.clock.settle();
});

/** Whether the server decompresses a CRD for each reader. */
async function isPacked(name: string): Promise<boolean> {
  const read = async () => {
    const { body } = await it.server.exchange({ method: 'GET', path: `${crds}/${name}`, query: '', headers: {}, peer });
    return body.kind === 'bytes' ? body.chunks[0] : undefined;
  };
  const first = await read();
  return (await read()) !== first;
}

const boat = (spec: unknown, name = 'b') => ({
  apiVersion: 'example.org/v1',
  kind: 'Boat',
  metadata: { name },
  spec,
});
const make = (spec: unknown, name?: string) => it.call('POST', boats, boat(spec, name));
const merge = { 'content-type': 'application/merge-patch+json' };
const causes = (body: { details?: { causes?: { field: string; message: string }[] } }) =>
  body.details?.causes?.map(({ field, message }) => `${field}: ${message}`);

describe('a CRD', () => {
  test('is established when its names are free', async () => {
    const { body } = await it.call('GET', `${crds}/boats.example.org`);
    expect(body.status.conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
      {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      },
    ]);
    expect(body.status.acceptedNames).toMatchObject({
      plural: 'boats',
      kind: 'Boat',
      listKind: 'BoatList',
      singular: 'boat',
    });
  });

  test('whose names another one has is not, until they are free', async () => {
    const names = { plural: 'ships', kind: 'Ship', shortNames: ['bt'] };
    await it.call('POST', crds, {
      ...crd,
      metadata: { name: 'ships.example.org' },
      spec: { ...crd.spec, names },
    });
    await it.clock.settle();
    const { body } = await it.call('GET', `${crds}/ships.example.org`);
    expect(body.status.conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'False', reason: 'ShortNamesConflict', message: '"bt" is already in use' },
      { type: 'Established', status: 'False', reason: 'NotAccepted' },
    ]);
    expect((await it.call('GET', '/apis/example.org/v1/ships')).status).toBe(404);
    await it.call('DELETE', `${crds}/boats.example.org`);
    await it.clock.settle();
    expect((await it.call('GET', '/apis/example.org/v1/ships')).status).toBe(200);
  });

  test('DISC-07 is in discovery with its subresources', async () => {
    const { body } = await it.call('GET', '/apis/example.org/v1');
    expect(body.resources.map(({ name, kind }: { name: string; kind: string }) => `${name} ${kind}`)).toEqual([
      'boats Boat',
      'boats/status Boat',
      'boats/scale Scale',
    ]);
    expect(body.resources[0]).toMatchObject({ singularName: 'boat', shortNames: ['bt'], namespaced: true });
  });

  test('DISC-15 DISC-16 explains its fields', async () => {
    const { body } = await it.call('GET', '/openapi/v3/apis/example.org/v1');
    expect(JSON.stringify(body)).toContain('oars');
  });

  test('is established in two steps, and in discovery after the second', async () => {
    const watch = await it.watch(`${crds}?watch=true&resourceVersion=0`);
    const names = { plural: 'rafts', singular: 'raft', kind: 'Raft', listKind: 'RaftList' };
    const metadata = { name: 'rafts.example.org' };
    await it.call('POST', crds, { ...crd, metadata, spec: { ...crd.spec, names } });
    expect((await it.call('GET', '/apis/example.org/v1/rafts')).status).toBe(404);
    await it.clock.settle();
    const eventTypes = watch.events
      .filter(({ object }) => object.metadata.name === metadata.name)
      .map(({ object }) =>
        (object.status?.conditions ?? []).map(({ status, reason }: Record<string, string>) => `${status} ${reason}`),
      );
    expect(eventTypes).toEqual([
      [],
      ['True NoConflicts', 'False Installing'],
      ['True NoConflicts', 'True InitialNamesAccepted'],
    ]);
    watch.stop();
    expect((await it.call('GET', '/apis/example.org/v1/rafts')).status).toBe(200);
  });

  test.each(['/apis/example.org/v2', '/apis/example.org/v1/ships', '/apis/example.org/v1/ships/a'])(
    '%s gets a 404 in plain text',
    async (path) => {
      const { status, headers, body } = await it.call('GET', path);
      expect([status, headers['content-type'], body]).toEqual([
        404,
        'text/plain; charset=utf-8',
        '404 page not found\n',
      ]);
    },
  );

  test('refuses protobuf, of which it has no messages', async () => {
    const { body } = await it.call('POST', boats, '', { 'content-type': 'application/vnd.kubernetes.protobuf' });
    expect(body).toMatchObject({
      code: 415,
      message: expect.stringMatching(/: application\/json, application\/yaml$/),
    });
  });

  test('that changes is served in its new form, and objects are kept', async () => {
    await make({ oars: 2 });
    const { body: before } = await it.call('GET', '/openapi/v3');
    const next = structuredClone(crd);
    next.spec.versions[0]!.schema.openAPIV3Schema.properties.spec.properties.oars.maximum = 12;
    const { body: current } = await it.call('GET', `${crds}/boats.example.org`);
    next.metadata = current.metadata;
    expect((await it.call('PUT', `${crds}/boats.example.org`, next)).status).toBe(200);
    await it.clock.settle();
    expect((await it.call('PATCH', `${boats}/b`, { spec: { oars: 12 } }, merge)).body.spec.oars).toBe(12);
    const { body: after } = await it.call('GET', '/openapi/v3');
    const changed = Object.keys(after.paths).filter(
      (name) => after.paths[name].serverRelativeURL !== before.paths[name].serverRelativeURL,
    );
    expect(changed).toEqual(['apis/example.org/v1']);
  });

  test('whose new defaults apply to existing objects', async () => {
    await make({ oars: 2 });
    const { body: current } = await it.call('GET', `${crds}/boats.example.org`);
    const spec = current.spec.versions[0].schema.openAPIV3Schema.properties.spec;
    spec.properties.keel = { type: 'string', default: 'oak' };
    expect((await it.call('PUT', `${crds}/boats.example.org`, current)).status).toBe(200);
    await it.clock.settle();
    const { body: read } = await it.call('GET', `${boats}/b`);
    expect(read.spec).toEqual(expect.objectContaining({ oars: 2, keel: 'oak' }));
    expect((await it.call('GET', boats)).body.items[0].spec.keel).toBe('oak');
    const { body: patched } = await it.call('PATCH', `${boats}/b`, { spec: { oars: 4 } }, merge);
    expect(patched.spec).toEqual(expect.objectContaining({ oars: 4, keel: 'oak' }));
    const watch = await it.watch(`${boats}?watch=true`);
    await it.clock.settle();
    expect(watch.events.map(({ object }) => object.spec.keel)).toEqual(['oak']);
    watch.stop();
  });

  test('whose schema loses a field loses it in existing objects', async () => {
    await make({ oars: 2 });
    const name = `${crds}/boats.example.org`;
    const schema = (keel: object | null) => async () => {
      const { body: current } = await it.call('GET', name);
      const { properties } = current.spec.versions[0].schema.openAPIV3Schema.properties.spec;
      if (keel) properties.keel = keel;
      else delete properties.keel;
      expect((await it.call('PUT', name, current)).status).toBe(200);
      await it.clock.settle();
    };
    const [grow, shrink] = [schema({ type: 'string' }), schema(null)];
    const keel = async () => (await it.call('GET', `${boats}/b`)).body.spec.keel;
    await grow();
    await it.call('PATCH', `${boats}/b`, { spec: { keel: 'oak' } }, merge);
    await shrink();
    expect(await keel()).toBeUndefined();
    expect((await it.call('GET', boats)).body.items[0].spec).not.toHaveProperty('keel');
    const watch = await it.watch(`${boats}?watch=true`);
    await it.clock.settle();
    expect(watch.events.map(({ object }) => object.spec.keel)).toEqual([undefined]);
    watch.stop();
    // It stays in the store until the object is written.
    await grow();
    expect(await keel()).toBe('oak');
    await shrink();
    const labelled = await it.call('PATCH', `${boats}/b`, { metadata: { labels: { size: 'small' } } }, merge);
    expect([labelled.status, labelled.body.spec.keel, labelled.body.spec.oars]).toEqual([200, undefined, 2]);
    await grow();
    expect(await keel()).toBeUndefined();
  });

  test('that is deleted has its objects deleted', async () => {
    await make({ oars: 2 });
    const { body } = await it.call('DELETE', `${crds}/boats.example.org`);
    expect(body.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    await it.clock.settle();
    expect((await it.call('GET', `${crds}/boats.example.org`)).status).toBe(404);
    expect((await it.call('GET', boats)).status).toBe(404);
    await it.call('POST', crds, crd);
    await it.clock.settle();
    expect((await it.call('GET', boats)).body.items).toEqual([]);
  });

  test('waits for objects that finalizers hold', async () => {
    await it.call('POST', boats, {
      ...boat({ oars: 2 }),
      metadata: { name: 'held', finalizers: ['example.org/hold'] },
    });
    await it.call('DELETE', `${crds}/boats.example.org`);
    await it.clock.settle();
    expect((await it.call('GET', `${crds}/boats.example.org`)).status).toBe(200);
    expect((await make({ oars: 2 }, 'late')).status).toBe(405);
    await it.call('PATCH', `${boats}/held`, { metadata: { finalizers: null } }, merge);
    await it.clock.settle();
    expect((await it.call('GET', `${crds}/boats.example.org`)).status).toBe(404);
  });

  test('SERVE-14 is served again by the next server on the same store', async () => {
    await make({ oars: 4 });
    const next = await startTestServer({ store });
    expect((await next.call('GET', `${boats}/b`)).body.spec).toEqual({ oars: 4, crew: 'two' });
  });
});

describe('a custom object', () => {
  test('gets defaults, a generation, and is pruned', async () => {
    const { status, body } = await make({ oars: 4, wheels: 4, sails: [{ name: 'main' }], cargo: { any: ['thing'] } });
    expect(status).toBe(201);
    expect(body).toMatchObject({ apiVersion: 'example.org/v1', kind: 'Boat', metadata: { generation: 1, name: 'b' } });
    expect(body.spec).toEqual({ oars: 4, crew: 'two', sails: [{ name: 'main', area: 5 }], cargo: { any: ['thing'] } });
  });

  test('changes only the status through the status subresource', async () => {
    await make({ oars: 4 });
    const metadata = { labels: { a: 'b' }, finalizers: ['a.b/c'], ownerReferences: [] };
    const change = { metadata, spec: { oars: 2 }, status: { oars: 3 } };
    const merge = { 'content-type': 'application/merge-patch+json' };
    const { status, body } = await it.call('PATCH', `${boats}/b/status`, change, merge);
    expect([status, body.spec.oars, body.status.oars]).toEqual([200, 4, 3]);
    expect([body.metadata.labels, body.metadata.finalizers]).toEqual([undefined, undefined]);
    expect(JSON.stringify(body.metadata.managedFields)).not.toContain('f:labels');
  });

  test('has its kind in lists', async () => {
    await make({ oars: 4 });
    const { body } = await it.call('GET', boats);
    expect(body).toMatchObject({ kind: 'BoatList', apiVersion: 'example.org/v1', items: [{ kind: 'Boat' }] });
  });

  test('KEY-10 has no message: a client that accepts protobuf only is refused, one that accepts JSON too gets JSON', async () => {
    await make({ oars: 4 });
    const protobuf = 'application/vnd.kubernetes.protobuf';
    for (const path of [boats, `${boats}/b`, `${boats}?watch=1`])
      expect((await it.call('GET', path, undefined, { accept: protobuf })).status).toBe(406);
    const either = await it.call('GET', `${boats}/b`, undefined, { accept: `${protobuf},application/json` });
    expect(either.body).toMatchObject({ kind: 'Boat', spec: { oars: 4 } });
    const accept = `${protobuf};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;
    expect((await it.call('GET', boats, undefined, { accept })).headers['content-type']).toBe(protobuf);
  });

  test.each<[string, unknown, string[]]>([
    ['too large', { oars: 10 }, ['spec.oars: Invalid value: 10: spec.oars in body should be less than or equal to 8']],
    ['too small', { oars: 0 }, ['spec.oars: Invalid value: 0: spec.oars in body should be greater than or equal to 1']],
    [
      'missing',
      {},
      [
        'spec.oars: Required value',
        '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      ],
    ],
    [
      'of another type',
      { oars: 'four' },
      [
        'spec.oars: Invalid value: "string": spec.oars in body must be of type integer: "string"',
        '.spec.oars: Invalid value: 0: .spec.oars accessor error: four is of the type string, expected int64',
        expect.stringContaining('not checked') as never,
      ],
    ],
    [
      'no match',
      { oars: 2, crew: 'A1' },
      ['spec.crew: Invalid value: "A1": spec.crew in body should match \'^[a-z]+$\''],
    ],
    [
      'too long',
      { oars: 2, crew: 'abcdefghijk' },
      ['spec.crew: Too long: may not be more than 10 bytes', expect.stringContaining('not checked') as never],
    ],
    [
      'none of a few',
      { oars: 2, colour: 'green' },
      [
        'spec.colour: Unsupported value: "green": supported values: "red", "blue"',
        expect.stringContaining('not checked') as never,
      ],
    ],
    ['against a rule', { oars: 3 }, ['spec: Invalid value: oars come in pairs']],
    [
      'there twice',
      { oars: 2, sails: [{ name: 'a' }, { name: 'a' }] },
      ['spec.sails[1]: Duplicate value: {"name":"a"}'],
    ],
  ])('is refused when a value is %s', async (_, spec, messages) => {
    const { status, body } = await make(spec);
    expect(status).toBe(422);
    expect(causes(body)).toEqual(messages);
  });

  test('is compared with its previous version', async () => {
    await make({ oars: 2, home: 'cove' });
    const { body } = await it.call('PATCH', `${boats}/b`, { spec: { home: 'bay' } }, merge);
    expect(causes(body)).toEqual(['spec.home: Invalid value: "bay": boats stay at home']);
  });

  test('keeps spec and status apart, and counts generations of the spec alone', async () => {
    await it.call('POST', boats, { ...boat({ oars: 2 }), status: { oars: 99 } });
    const { body: updated } = await it.call(
      'PATCH',
      `${boats}/b/status`,
      { spec: { oars: 8 }, status: { oars: 2 } },
      merge,
    );
    expect(updated).toMatchObject({ spec: { oars: 2 }, status: { oars: 2 }, metadata: { generation: 1 } });
    const { body: changed } = await it.call('PATCH', `${boats}/b`, { spec: { oars: 4 }, status: { oars: 9 } }, merge);
    expect(changed).toMatchObject({ spec: { oars: 4 }, status: { oars: 2 }, metadata: { generation: 2 } });
  });

  test('is scaled at the paths in its CRD', async () => {
    await make({ oars: 2 });
    const { body } = await it.call('GET', `${boats}/b/scale`);
    expect(body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 2 },
      status: { replicas: 0 },
    });
    await it.call('PATCH', `${boats}/b/scale`, { spec: { replicas: 6 } }, merge);
    expect((await it.call('GET', `${boats}/b`)).body.spec.oars).toBe(6);
  });

  test('is shown in its columns', async () => {
    await make({ oars: 2 });
    const accept = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const { body } = await it.call('GET', boats, undefined, accept);
    expect(body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Oars']);
    expect(body.rows[0].cells).toEqual(['b', 2]);
  });

  test('is found by a field that may be selected', async () => {
    await make({ oars: 2, colour: 'red' }, 'r');
    await make({ oars: 2, colour: 'blue' }, 'b');
    const { body } = await it.call('GET', `${boats}?fieldSelector=spec.colour%3Dred`);
    expect(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['r']);
  });

  test('is watched', async () => {
    const watch = await it.watch(`${boats}?watch=true`);
    await make({ oars: 2 });
    await it.clock.settle();
    expect(watch.events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(['ADDED b']);
    watch.stop();
  });

  test('is applied, and its list of named parts is merged by name', async () => {
    const apply = (manager: string, name: string) =>
      it.call(
        'PATCH',
        `${boats}/b?fieldManager=${manager}`,
        { apiVersion: 'example.org/v1', kind: 'Boat', metadata: { name: 'b' }, spec: { oars: 2, sails: [{ name }] } },
        { 'content-type': 'application/apply-patch+yaml' },
      );
    await apply('one', 'main');
    const { body } = await apply('two', 'jib');
    expect(body.spec.sails.map(({ name }: { name: string }) => name)).toEqual(['main', 'jib']);
  });

  test('PATCH-05 rejects strategic merge patches, because the schema has no merge keys', async () => {
    await make({ oars: 2 });
    const type = { 'content-type': 'application/strategic-merge-patch+json' };
    expect((await it.call('PATCH', `${boats}/b`, { spec: { oars: 4 } }, type)).status).toBe(415);
  });
});

test('versions that differ in their name alone are turned into each other', async () => {
  const [v1] = crd.spec.versions;
  const both = [{ ...v1!, name: 'v1beta1', storage: false, deprecated: true }, v1!];
  const names = { plural: 'rafts', kind: 'Raft' };
  await it.call('POST', crds, {
    ...crd,
    metadata: { name: 'rafts.example.org' },
    spec: { ...crd.spec, names, versions: both },
  });
  await it.clock.settle();
  const made = await it.call('POST', '/apis/example.org/v1beta1/namespaces/default/rafts', {
    ...boat({ oars: 2 }),
    apiVersion: 'example.org/v1beta1',
    kind: 'Raft',
  });
  expect(made.body.apiVersion).toBe('example.org/v1beta1');
  expect(String(made.headers['warning'])).toMatch(/example.org\/v1beta1 Raft is deprecated/);
  expect((await it.call('GET', '/apis/example.org/v1/namespaces/default/rafts/b')).body.apiVersion).toBe(
    'example.org/v1',
  );
});

test('of many CRDs that come at once only the last ones are kept as they are', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `things${index}`);
  for (const plural of names) {
    const spec = { ...crd.spec, names: { plural, kind: plural.toUpperCase() } };
    await it.call('POST', crds, { ...crd, metadata: { name: `${plural}.example.org` }, spec });
    await it.clock.settle();
  }
  expect(await isPacked(`${names[0]}.example.org`)).toBe(true);
  expect(await isPacked(`${names.at(-1)}.example.org`)).toBe(false);
  await it.clock.advance(2_000);
  await it.clock.settle();
  expect(await isPacked(`${names.at(-1)}.example.org`)).toBe(true);
});
