import { describe, expect, test } from 'vitest';
import { startTestServer } from './server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

describe('a request', () => {
  test.each([
    ['PUT', configMaps],
    ['POST', `${configMaps}/a`],
    ['OPTIONS', configMaps],
    ['HEAD', configMaps],
    ['HEAD', `${configMaps}/a`],
    ['POST', '/api/v1/configmaps'],
    ['DELETE', '/api/v1/configmaps'],
    ['DELETE', '/api/v1/namespaces'],
    ['GET', '/api/v1/namespaces/default/bindings'],
    ['GET', '/api/v1/namespaces/default/pods/a/binding'],
    ['PUT', '/api/v1'],
    ['PUT', '/apis/apps/v1'],
  ])('ROUTE-01 ROUTE-02 ROUTE-03 %s %s is answered 405, by the methods of the path', async (method, path) => {
    const { call } = await startTestServer();
    const { body } = await call(method, path, method === 'POST' || method === 'PUT' ? configMap : undefined);
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'the server does not allow this method on the requested resource',
      reason: 'MethodNotAllowed',
      details: {},
      code: 405,
    });
  });

  test.each([
    ['GET', '/api/v1/pods/a'],
    ['PUT', '/api/v1/pods/a/status'],
    ['GET', '/api/v1/namespaces/default/nodes'],
    ['POST', '/api/v1/namespaces/default/persistentvolumes'],
    ['GET', `${configMaps}/a/status`],
    ['GET', '/api/v1/namespaces/default/pods/a/nothing'],
    ['GET', '/apis/apps/v9/deployments'],
  ])('ROUTE-07 CHAIN-16 %s %s is answered 404, because there is no such path', async (method, path) => {
    const { call } = await startTestServer();
    const { body } = await call(method, path, method === 'GET' ? undefined : configMap);
    const message = 'the server could not find the requested resource';
    expect(body).toMatchObject({ kind: 'Status', reason: 'NotFound', message, details: {}, code: 404 });
  });

  test('HEAD has the headers of GET, where it is supported', async () => {
    const { call } = await startTestServer();
    const [get, head] = [await call('GET', '/healthz'), await call('HEAD', '/healthz')];
    expect(head.status).toBe(200);
    expect(head.headers['content-type']).toBe(get.headers['content-type']);
  });

  test('FILTER-13 keeps the Audit-Id that its client gave it, and gets one otherwise', async () => {
    const { call } = await startTestServer();
    expect((await call('GET', '/version', undefined, { 'audit-id': 'mine' })).headers['audit-id']).toBe('mine');
    const ids = [await call('GET', '/version'), await call('GET', '/version')].map(
      ({ headers }) => headers['audit-id'],
    );
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });

  test('FILTER-10 must not be cached by proxies', async () => {
    const { call } = await startTestServer();
    for (const path of [configMaps, '/version', '/healthz', '/nowhere'])
      expect([path, (await call('GET', path)).headers['cache-control']]).toEqual([path, 'no-cache, private']);
  });

  test('ROUTE-08 pretty indents the response, which is the default for browsers and curl', async () => {
    const { server } = await startTestServer();
    const text = async (query: string, agent: string) => {
      const headers = { accept: 'application/json', 'user-agent': agent };
      const { body } = await server.exchange({ method: 'GET', path: configMaps, query, headers });
      if (body.kind !== 'bytes') throw new Error(`no bytes but ${body.kind}`);
      return new TextDecoder().decode(body.chunks[0]);
    };
    expect(await text('pretty=true', 'client-go')).toMatch(/^\{\n {2}"kind"/);
    expect(await text('', 'curl/8.0')).toMatch(/^\{\n {2}"kind"/);
    expect(await text('', 'client-go')).toMatch(/^\{"kind"/);
    expect(await text('pretty=false', 'curl/8.0')).toMatch(/^\{"kind"/);
  });

  test('WRITE-10 each warning is sent once', async () => {
    const { call } = await startTestServer();
    const unknown = { ...configMap, colour: 'red', shape: 'round' };
    const { headers } = await call('POST', `${configMaps}?fieldValidation=Warn`, unknown);
    expect(headers['warning']).toEqual(['299 - "unknown field \\"colour\\""', '299 - "unknown field \\"shape\\""']);
  });
});

describe('SERVE-12 health', () => {
  test.each([
    ['/livez', 200, 'ok'],
    ['/livez/ping', 200, 'ok'],
    ['/readyz?verbose', 200, /^\[\+\]ping ok\n\[\+\]log ok\n\[\+\]etcd ok\n.*readyz check passed\n$/s],
    ['/livez?verbose&exclude=etcd', 200, /\[\+\]etcd excluded: ok\n/],
    ['/livez?verbose&exclude=none', 200, /warn: some health checks cannot be excluded: no matches for "none"\n/],
  ])('%s returns %i', async (path, status, text) => {
    const { call } = await startTestServer();
    const answer = await call('GET', path);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual(typeof text === 'string' ? text : expect.stringMatching(text));
  });

  test('an unknown single check is not found, and a failing one fails the whole', async () => {
    const failing = { name: 'disk', check: () => Promise.reject(new Error('full')) };
    const { call } = await startTestServer({ healthChecks: [failing] });
    expect((await call('GET', '/livez/none')).status).toBe(404);
    expect(await call('GET', '/livez/disk')).toMatchObject({ status: 500 });
    expect(await call('GET', '/livez')).toMatchObject({
      status: 500,
      body: expect.stringContaining('[-]disk failed: reason withheld\n'),
    });
    expect((await call('GET', '/livez?exclude=disk')).status).toBe(200);
  });
});
