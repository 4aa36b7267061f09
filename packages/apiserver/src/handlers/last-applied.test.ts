import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const configMap = '/api/v1/namespaces/default/configmaps/a';
const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const applied = { 'content-type': 'application/apply-patch+yaml' };

async function startWith(annotations: object) {
  const { call } = await startTestServer();
  const before = { metadata: { name: 'a', annotations }, data: { k: '1' } };
  await call('POST', '/api/v1/namespaces/default/configmaps?fieldManager=kubectl-client-side-apply', before);
  const apply = async (manager: string, data: object, own: object = {}) => {
    const metadata = { name: 'a', ...own };
    const config = { kind: 'ConfigMap', apiVersion: 'v1', metadata, data };
    const { body } = await call('PATCH', `${configMap}?fieldManager=${manager}&force=true`, config, applied);
    return body.metadata.annotations?.[annotation];
  };
  return { apply };
}

describe('APPLY-19 the annotation of client-side apply', () => {
  test('is updated by the field manager kubectl, in Go’s format', async () => {
    const { apply } = await startWith({ [annotation]: '{}' });
    expect(await apply('kubectl', { k: '<2>', a: 'b' })).toBe(
      '{"apiVersion":"v1","data":{"a":"b","k":"\\u003c2\\u003e"},"kind":"ConfigMap","metadata":{"name":"a"}}\n',
    );
  });

  test('does not hold itself', async () => {
    const { apply } = await startWith({ [annotation]: '{}' });
    expect(await apply('kubectl', {}, { annotations: { [annotation]: 'x', z: '1' } })).toBe(
      '{"apiVersion":"v1","data":{},"kind":"ConfigMap","metadata":{"annotations":{"z":"1"},"name":"a"}}\n',
    );
  });

  test('is unchanged by other managers, not created again, and dropped when it would be too large', async () => {
    expect(await (await startWith({ [annotation]: '{}' })).apply('other', { k: '2' })).toBe('{}');
    expect(await (await startWith({})).apply('kubectl', { k: '2' })).toBeUndefined();
    const large = await startWith({ [annotation]: '{}' });
    expect(await large.apply('kubectl', { k: 'x'.repeat(256 * 1024) })).toBeUndefined();
  });
});

describe('APPLY-20 applies a duplicate key', () => {
  const twice = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\ndata:\n  k: "1"\n  k: "2"\n';
  const send = async (validation: string) => {
    const { call } = await startTestServer();
    const path = '/api/v1/namespaces/default/configmaps/b';
    return await call('PATCH', `${path}?fieldManager=me&fieldValidation=${validation}`, twice, applied);
  };

  test('is refused strictly, with its line', async () => {
    const { body } = await send('Strict');
    expect(body).toMatchObject({ code: 400, message: expect.stringContaining('line 7: key "k" already set in map') });
    expect(body.message).toMatch(/^error strict decoding YAML: yaml: unmarshal errors:/);
  });

  test('is a warning otherwise', async () => {
    const { status, headers } = await send('Warn');
    expect([status, String(headers['warning'])]).toEqual([201, expect.stringContaining('already set in map')]);
  });
});
