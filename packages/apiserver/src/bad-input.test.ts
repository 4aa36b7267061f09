import { describe, expect, test } from 'vitest';
import { startTestServer } from './server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const good = { metadata: { name: 'a' } };

describe('ERR-01 ERR-02 ERR-05 ERR-09 CHAIN-06 SCHEME-24 WRITE-07 an invalid request', () => {
  test.each([
    ['an unknown version', 'GET', '/api/v9/pods', undefined, 404],
    ['an unknown resource', 'GET', '/api/v1/things', undefined, 404],
    ['an unknown subresource', 'GET', `${configMaps}/a/nothing`, undefined, 404],
    ['a version that is switched off', 'GET', '/apis/resource.k8s.io/v1beta1/deviceclasses', undefined, 404],
    ['an unknown method', 'BREW', configMaps, undefined, 405],
    ['a method that the resource has not', 'PUT', configMaps, good, 405],
    ['broken JSON', 'POST', configMaps, '{"metadata":', 400],
    ['no object at all', 'POST', configMaps, '[]', 400],
    ['an empty body', 'POST', configMaps, '', 400],
    ['JSON that is nested too deeply', 'POST', configMaps, `${'['.repeat(5000)}${']'.repeat(5000)}`, 400],
    ['another kind', 'POST', configMaps, { kind: 'Secret', apiVersion: 'v1', ...good }, 400],
    ['another version', 'POST', configMaps, { kind: 'ConfigMap', apiVersion: 'apps/v1', ...good }, 400],
    ['another namespace', 'POST', configMaps, { metadata: { name: 'a', namespace: 'other' } }, 400],
    ['no namespace', 'POST', '/api/v1/configmaps', good, 405],
    ['a bad name', 'POST', configMaps, { metadata: { name: 'A_B' } }, 422],
    ['no name', 'POST', configMaps, { metadata: {} }, 422],
    ['a bad escape in the path', 'GET', `${configMaps}/%zz`, undefined, 400],
    ['a dry run of some', 'POST', `${configMaps}?dryRun=Some`, good, 422],
    ['an unknown way of validation', 'POST', `${configMaps}?fieldValidation=Maybe`, good, 422],
    ['a manager that is too long', 'POST', `${configMaps}?fieldManager=${'x'.repeat(129)}`, good, 422],
    ['a timeout that is none', 'GET', `${configMaps}?timeout=soon`, undefined, 400],
    ['a resourceVersion on create', 'POST', configMaps, { metadata: { name: 'a', resourceVersion: '5' } }, 500],
  ])('%s is answered with a Status', async (_what, method, path, body, code) => {
    const { call } = await startTestServer();
    const answer = await call(method, path, body);
    expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', code });
    expect(answer.status).toBe(code);
    expect((await call('GET', '/healthz')).body).toBe('ok');
  });

  test.each([
    [undefined, 'unexpected end of JSON input (<empty>)'],
    ['', 'unexpected end of JSON input (<empty>)'],
    ['{"metadata":', 'unexpected end of JSON input ({"metadata":)'],
    ['<html>', "invalid character '<' looking for beginning of value (3c68746d6c3e)"],
    [`{${'x'.repeat(50)}`, `invalid character 'x' looking for beginning of object key string ({${'x'.repeat(29)} ...)`],
  ])('the body %j is unrecognized, with upstream’s message', async (body, why) => {
    const { call } = await startTestServer();
    expect((await call('POST', configMaps, body)).body).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: ${why}`,
    });
  });

  test('WRITE-12 in an unsupported media type is answered with 415', async () => {
    const { call } = await startTestServer();
    const answer = await call('POST', configMaps, 'x', { 'content-type': 'text/html' });
    expect(answer.status).toBe(415);
    expect(answer.body.message).toContain('the body of the request was in an unknown format');
    const patch = await call('PATCH', `${configMaps}/a`, good, { 'content-type': 'application/json' });
    expect(patch.status).toBe(415);
  });

  test('WRITE-12 of more than 3 MiB is answered with 413', async () => {
    const { call } = await startTestServer();
    const answer = await call('POST', configMaps, {
      metadata: { name: 'a' },
      data: { x: 'y'.repeat(3 * 1024 * 1024) },
    });
    expect(answer.status).toBe(413);
  });

  test('that expands to a thousand times itself is refused', async () => {
    const { call } = await startTestServer();
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefgh'.split('').map((name, i) => {
        const before = 'abcdefgh'[i];
        return `${name}: &${name} [${Array(9).fill(`*${before}`).join(',')}]`;
      }),
    ].join('\n');
    const answer = await call('POST', configMaps, bomb, { 'content-type': 'application/yaml' });
    expect(answer.status).toBe(400);
  });
});

describe('WRITE-10 unknown fields', () => {
  const body = { ...good, data: { k: 'v' }, dada: {} };

  test('are dropped with a warning by default', async () => {
    const { call } = await startTestServer();
    const answer = await call('POST', configMaps, body);
    expect(answer.status).toBe(201);
    expect(answer.headers.warning).toEqual(['299 - "unknown field \\"dada\\""']);
    expect(answer.body).not.toHaveProperty('dada');
  });

  test('are rejected with fieldValidation Strict, and ignored with Ignore', async () => {
    const { call } = await startTestServer();
    const strict = await call('POST', `${configMaps}?fieldValidation=Strict`, body);
    expect(strict.body.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dada"',
    );
    const ignoring = await call('POST', `${configMaps}?fieldValidation=Ignore`, body);
    expect(ignoring.status).toBe(201);
    expect(ignoring.headers).not.toHaveProperty('warning');
  });

  test('that occur twice are reported too', async () => {
    const { call } = await startTestServer();
    const answer = await call('POST', configMaps, '{"metadata":{"name":"a"},"data":{"k":"1","k":"2"}}');
    expect(answer.headers.warning).toEqual(['299 - "duplicate field \\"data.k\\""']);
  });
});

describe('a request that fails inside', () => {
  test('FILTER-04 ERR-11 CHAIN-12 becomes a 500, and the server continues', async () => {
    const { call } = await startTestServer({
      admission: () => [
        {
          name: 'Broken',
          handles: () => true,
          mutate: () => {
            throw new Error('broken');
          },
        },
      ],
      bootstraps: false,
    });
    const answer = await call('POST', configMaps, good);
    expect(answer.status).toBe(500);
    expect(answer.body).toMatchObject({ reason: 'InternalError', message: 'Internal error occurred: broken' });
    expect((await call('GET', configMaps)).status).toBe(200);
  });
});
