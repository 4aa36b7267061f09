import { beforeEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../server.fixture.js';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const kites = '/apis/example.org/v1/namespaces/default/kites';
const merged = { 'content-type': 'application/merge-patch+json' };

type Schema = Readonly<Record<string, unknown>>;

function crd(spec: Schema, required: readonly string[] = []): unknown {
  const status = { type: 'object', properties: { n: { type: 'integer' } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'kites.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { plural: 'kites', kind: 'Kite' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          deprecated: true,
          deprecationWarning: 'v1 is old',
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', required, properties: { spec, status } } },
        },
      ],
    },
  };
}

let it: TestServer;
beforeEach(async () => {
  it = await startTestServer();
  await it.call('POST', crds, crd({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }));
  await it.clock.settle();
  const kite = { apiVersion: 'example.org/v1', kind: 'Kite', metadata: { name: 'k' }, spec: { a: 'long', b: 1 } };
  expect((await it.call('POST', kites, kite)).status).toBe(201);
});

async function tighten(spec: Schema, required: readonly string[] = []): Promise<void> {
  const change = crd(spec, required);
  expect((await it.call('PATCH', `${crds}/kites.example.org`, change, merged)).status).toBe(200);
  await it.clock.settle();
}

test('an update of the status looks at the status only, which messages name from its beginning', async () => {
  await tighten({ type: 'object', properties: { a: { type: 'string', maxLength: 2 } } }, ['wind']);
  expect((await it.call('PATCH', `${kites}/k/status`, { status: { n: 1 } }, merged)).status).toBe(200);

  const { status, body } = await it.call('PATCH', `${kites}/k/status`, { status: { n: 'x' } }, merged);
  expect(status).toBe(422);
  expect(body.message).toContain('status.n: Invalid value: "string": n in body must be of type integer: "string"');
  expect(body.message).not.toContain('wind');
});

test('a refusal comes with the warnings of what an update left broken', async () => {
  const a = { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.size() < 3', message: 'too long' }] };
  await tighten({ type: 'object', properties: { a, b: { type: 'integer', maximum: 5 } } });
  const { status, headers } = await it.call('PATCH', `${kites}/k`, { spec: { b: 6 } }, merged);
  expect(status).toBe(422);
  expect(headers['warning']).toContain('299 - "spec.a: Invalid value: \\"long\\": too long"');
});

test('the version is named as deprecated where a subresource is missing too', async () => {
  const { status, headers } = await it.call('GET', `${kites}/k/scale`);
  expect([status, headers['warning']]).toEqual([404, ['299 - "v1 is old"']]);
});

test('unknown fields are reported in order', async () => {
  await tighten({ type: 'object', properties: { a: { type: 'string' } } });
  const kite = { apiVersion: 'example.org/v1', kind: 'Kite', zz: 1, yy: 2, metadata: { name: 'j' }, spec: { c: 1 } };
  const { body } = await it.call('POST', `${kites}?fieldValidation=Strict`, kite);
  expect(body.message).toContain('unknown field "spec.c", unknown field "yy", unknown field "zz"');
});

test('a deletion that is done is answered without a code', async () => {
  const { body } = await it.call('DELETE', `${kites}/k`);
  expect(body).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: 'k', group: 'example.org', kind: 'kites', uid: expect.any(String) },
  });
});
