import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const configMap = '/api/v1/namespaces/default/configmaps/a';

describe('PATCH-07 a strategic merge patch that does not fit', () => {
  test.each([
    [{ metadata: { labels: 'x' } }, 'cannot restore map from string'],
    [{ data: ['a'] }, 'cannot restore map from slice'],
    [{ metadata: 'x' }, 'cannot restore struct from: string'],
    [{ metadata: { finalizers: 'x' } }, 'cannot restore slice from string'],
    [{ immutable: 'x' }, 'cannot convert string to bool'],
  ])('%j is refused: %s', async (patch, why) => {
    const { call } = await startTestServer();
    await call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
    const type = { 'content-type': 'application/strategic-merge-patch+json' };
    const { body } = await call('PATCH', configMap, patch, type);
    expect(body).toMatchObject({ code: 422, message: expect.stringContaining(`: ${why}`) });
  });
});

test('PATCH-07 the kind and version that a strategic merge patch states have no effect', async () => {
  const { call } = await startTestServer();
  await call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
  const type = { 'content-type': 'application/strategic-merge-patch+json' };
  const { body } = await call('PATCH', configMap, { kind: 'Secret', apiVersion: 'v2', data: { b: 'c' } }, type);
  expect(body).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { b: 'c' } });
  const refused = await call('PATCH', configMap, { kind: 3 }, type);
  expect(refused.body).toMatchObject({ code: 422, message: expect.stringContaining('kind') });
});

test('NEG-07 a review is not served as a table', async () => {
  const { call } = await startTestServer({
    subresources: () => ({ 'authorization.k8s.io/selfsubjectrulesreviews': { create: async () => ({ object: {} }) } }),
  });
  const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  expect((await call('POST', path, { spec: {} }, { accept })).status).toBe(406);
  expect((await call('POST', path, { spec: {} }, { accept: `${accept},application/json` })).status).toBe(201);
});
