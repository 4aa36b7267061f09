import { schemaOf } from '@coracle/api';
import { decodeKind, type ObjectSchema } from '@coracle/apimachinery';
import { Deferred, PrometheusMetrics } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

// biome-ignore lint/suspicious/noExplicitAny: documents of every kind
type Document = any;

describe('discovery', () => {
  test('DISC-01 DISC-02 DISC-03 SCHEME-19 list versions and groups, the preferred version first', async () => {
    const { call } = await startTestServer();
    expect((await call('GET', '/api')).body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    const { groups } = (await call('GET', '/apis')).body;
    const autoscaling = groups.find(({ name }: Document) => name === 'autoscaling');
    expect(autoscaling.versions.map(({ version }: Document) => version)).toEqual(['v2', 'v1']);
    expect(autoscaling.preferredVersion).toEqual({ groupVersion: 'autoscaling/v2', version: 'v2' });
    expect((await call('GET', '/apis/apps')).body).toMatchObject({ kind: 'APIGroup', name: 'apps' });
  });

  test('DISC-04 DISC-05 DISC-08 describe resources with short names and the hash of the stored version', async () => {
    const { call } = await startTestServer();
    const { resources } = (await call('GET', '/api/v1')).body;
    const pods = resources.find(({ name }: Document) => name === 'pods');
    expect(pods).toMatchObject({
      singularName: 'pod',
      namespaced: true,
      kind: 'Pod',
      shortNames: ['po'],
      categories: ['all'],
      storageVersionHash: 'xPOwRZ+Yhw8=',
    });
    const scale = resources.find(({ name }: Document) => name === 'replicationcontrollers/scale');
    expect(scale).toMatchObject({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
  });

  test('is one document that clients may cache', async () => {
    const { call } = await startTestServer();
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
    const first = await call('GET', '/apis', undefined, { accept });
    expect(first.body.kind).toBe('APIGroupDiscoveryList');
    const again = await call('GET', '/apis', undefined, { accept, 'if-none-match': String(first.headers.etag) });
    expect(again.status).toBe(304);
  });

  test.each(['/openapi/v2', '/openapi/v3', '/openapi/v3/apis/apps/v1'])(
    '%s has a strong tag, which a client may send back as a weak one or in a list',
    async (path) => {
      const { call } = await startTestServer();
      const accept = 'application/json';
      const first = await call('GET', path, undefined, { accept });
      const etag = String(first.headers.etag);
      expect(etag).toMatch(/^"[0-9A-F]+"$/i);
      for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await call('GET', path, undefined, { accept, 'if-none-match': sent });
        expect([again.status, again.headers.etag, again.headers['content-type']]).toEqual([304, etag, undefined]);
      }
      const other = await call('GET', path, undefined, { accept, 'if-none-match': '"other"' });
      expect(other.status).toBe(200);
    },
  );

  test('is found by its decoded path', async () => {
    const { call } = await startTestServer();
    expect((await call('GET', '/apis/%61pps/v1')).body.kind).toBe('APIResourceList');
    expect((await call('GET', '/apis%2Fapps')).body.kind).toBe('APIGroup');
  });

  test.each([
    ['/api', 'APIVersions', ''],
    ['/apis', 'APIGroupList', 'v1'],
    ['/apis/apps', 'APIGroup', 'v1'],
    ['/api/v1', 'APIResourceList', ''],
    ['/apis/apps/v1', 'APIResourceList', 'v1'],
  ])('%s is served in protobuf', async (path, kind, apiVersion) => {
    const { server } = await startTestServer();
    const headers = { accept: 'application/vnd.kubernetes.protobuf' };
    const response = await server.exchange({ method: 'GET', path, query: '', headers });
    expect(response.headers['content-type']).toBe('application/vnd.kubernetes.protobuf');
    const bytes = response.body.kind === 'bytes' ? (response.body.chunks[0] as Uint8Array) : new Uint8Array();
    const schema = schemaOf(`meta-v1/${kind}`) as ObjectSchema;
    const document = decodeKind(bytes, () => schema);
    expect(document).toMatchObject({ kind, apiVersion });
    const { body } = await (await startTestServer()).call('GET', path);
    expect(document).toEqual({ apiVersion: '', ...body });
  });

  test('SCHEME-26 leaves out unstable versions unless they are enabled', async () => {
    const stable = await startTestServer();
    expect((await stable.call('GET', '/apis/resource.k8s.io/v1beta1')).status).toBe(404);
    const { call } = await startTestServer({ runtimeConfig: { 'api/beta': true } });
    expect((await call('GET', '/apis/resource.k8s.io/v1beta1')).status).toBe(200);
  });
});

describe('health', () => {
  test('SERVE-12 is served as one word, verbose, and check by check', async () => {
    const { call } = await startTestServer();
    expect((await call('GET', '/readyz')).body).toBe('ok');
    const verbose = await call('GET', '/readyz?verbose&exclude=log&exclude=nothing');
    expect(verbose.body).toContain('[+]ping ok\n[+]log excluded: ok\n[+]etcd ok\n');
    expect(verbose.body).toContain('warn: some health checks cannot be excluded: no matches for "nothing"\n');
    expect(verbose.body).toMatch(/readyz check passed\n$/);
    expect((await call('GET', '/livez/etcd')).body).toBe('ok');
    expect((await call('GET', '/livez/nothing')).status).toBe(404);
  });

  test('SERVE-10 SERVE-15 reports post-start hooks under their names', async () => {
    const { call } = await startTestServer();
    const ready: string = (await call('GET', '/readyz?verbose')).body;
    for (const name of [
      'etcd-readiness',
      'informer-sync',
      'poststarthook/start-system-namespaces-controller',
      'poststarthook/scheduling/bootstrap-system-priority-classes',
      'poststarthook/bootstrap-controller',
      'poststarthook/kube-apiserver-autoregistration',
      'autoregister-completion',
      'poststarthook/start-kube-apiserver-admission-initializer',
      'poststarthook/generic-apiserver-start-informers',
      'poststarthook/start-apiextensions-informers',
      'poststarthook/start-apiextensions-controllers',
      'poststarthook/crd-informer-synced',
      'poststarthook/start-kube-aggregator-informers',
      'poststarthook/apiservice-registration-controller',
      'poststarthook/apiservice-status-available-controller',
      'poststarthook/apiservice-openapi-controller',
    ])
      expect(ready).toContain(`[+]${name} ok\n`);
    expect((await call('GET', '/livez/poststarthook/bootstrap-controller')).body).toBe('ok');
    expect((await call('GET', '/livez?verbose')).body).not.toContain('[+]informer-sync ');
  });

  test('SERVE-08 fails until all post-start hooks have ended, which have distinct names', async () => {
    const { call, server } = await startTestServer();
    const work = new Deferred<void>();
    const running = server.hooks.run('rbac/bootstrap-roles', () => work.promise);
    expect((await call('GET', '/readyz')).status).toBe(500);
    expect((await call('GET', '/readyz/poststarthook/rbac/bootstrap-roles')).body).toBe(
      'internal server error: not finished\n',
    );
    work.resolve();
    await running;
    expect((await call('GET', '/readyz')).status).toBe(200);
    await expect(server.hooks.run('rbac/bootstrap-roles', async () => {})).rejects.toThrow('already a check');
  });

  test('fails when one check fails, without the reason', async () => {
    const check = () => Promise.reject(new Error('secret reason'));
    const { call } = await startTestServer({ healthChecks: [{ name: 'broken', check }] });
    const { status, body } = await call('GET', '/healthz');
    expect(status).toBe(500);
    expect(body).toContain('[-]broken failed: reason withheld\n');
    expect(body).not.toContain('secret reason');
    // A user who may read the single check sees the reason.
    expect((await call('GET', '/healthz/broken')).body).toBe('internal server error: secret reason\n');
  });
});

describe('unknown paths', () => {
  test.each(['/nothing', '/nothing/at/all', '/apis/no.such.group', '/apis/no.such.group/v1/things'])(
    'CHAIN-06 %s belongs to no group, and gets a plain text response',
    async (path) => {
      const { call } = await startTestServer();
      const { status, headers, body } = await call('GET', path);
      expect([status, headers['content-type'], body]).toEqual([
        404,
        'text/plain; charset=utf-8',
        '404 page not found\n',
      ]);
    },
  );

  test.each(['/api/v2', '/api/v1/things', '/apis/apps/v2', '/apis/apps/v1/things'])(
    'CHAIN-12 %s is in a group, and is answered with a Status',
    async (path) => {
      const { call } = await startTestServer();
      const { status, body } = await call('GET', path);
      expect(status).toBe(404);
      expect(body).toMatchObject({ kind: 'Status', message: 'the server could not find the requested resource' });
    },
  );
});

test.each(['/version', '/api', '/apis'])('ERR-06 %s is read only', async (path) => {
  const { call } = await startTestServer();
  const { status, body } = await call('POST', path, {});
  expect([status, body.reason, body.message]).toEqual([
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
  ]);
});

describe('the other endpoints', () => {
  test('OBS-01 reset metrics on DELETE', async () => {
    const { call } = await startTestServer({ metrics: new PrometheusMetrics() });
    await call('GET', '/api/v1/pods');
    expect((await call('DELETE', '/metrics')).body).toBe('metrics reset\n');
    const { body } = await call('GET', '/metrics');
    expect(body).not.toContain('resource="pods",subresource="",scope="cluster",component="apiserver",code="200"');
    expect(body).toContain('apiserver_resource_objects{group="",resource="namespaces"} 4');
  });

  test('CHAIN-15 CHAIN-17 STORE-12 serve the version, the paths and the metrics', async () => {
    const { call } = await startTestServer({ metrics: new PrometheusMetrics() });
    expect((await call('GET', '/version')).body).toMatchObject({ major: '1', minor: '36' });
    expect((await call('GET', '/')).body.paths).toContain('/apis/apps/v1');
    const metrics = await call('GET', '/metrics');
    expect(metrics.body).toContain('apiserver_request_total{verb="GET"');
    expect(metrics.body).toContain('apiserver_storage_objects{resource="namespaces"} 4');
  });

  test('DISC-14 describe the API, under addresses that change with it', async () => {
    const { call } = await startTestServer();
    expect((await call('GET', '/openapi/v2')).body.swagger).toBe('2.0');
    const { paths } = (await call('GET', '/openapi/v3')).body;
    const document = await call('GET', paths['apis/apps/v1'].serverRelativeURL);
    expect(document.body.openapi).toBe('3.0.0');
    expect(document.headers['cache-control']).toBe('public, immutable');
    expect((await call('GET', '/openapi/v3/apis/apps/v1?hash=OLD')).status).toBe(301);
  });
});

describe('a new cluster', () => {
  test('BOOT-03 and BOOT-05 has its namespaces, its priority classes and the kubernetes service', async () => {
    const { call, server } = await startTestServer();
    await server.announce({ host: '192.0.2.1', port: 6443 });
    const names = async (path: string) =>
      (await call('GET', path)).body.items.map(({ metadata }: Document) => metadata.name);
    expect(await names('/api/v1/namespaces')).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
    expect(await names('/apis/scheduling.k8s.io/v1/priorityclasses')).toEqual([
      'system-cluster-critical',
      'system-node-critical',
    ]);
    const service = (await call('GET', '/api/v1/namespaces/default/services/kubernetes')).body;
    expect(service.spec).toMatchObject({ clusterIP: '10.96.0.1', ports: [{ port: 443, targetPort: 6443 }] });
    const endpoints = (await call('GET', '/api/v1/namespaces/default/endpoints/kubernetes')).body;
    expect(endpoints.subsets[0].addresses).toEqual([{ ip: '192.0.2.1' }]);
    const apps = (await call('GET', '/apis/apiregistration.k8s.io/v1/apiservices/v1.apps')).body;
    expect(apps.status.conditions[0]).toMatchObject({ type: 'Available', status: 'True', reason: 'Local' });
  });

  test('BOOT-03 gets back a system namespace that was lost', async () => {
    const { call, clock } = await startTestServer();
    await call('DELETE', '/api/v1/namespaces/kube-public');
    await call('PUT', '/api/v1/namespaces/kube-public/finalize', { metadata: { name: 'kube-public' }, spec: {} });
    expect((await call('GET', '/api/v1/namespaces/kube-public')).status).toBe(404);
    await clock.advance(60_000);
    expect((await call('GET', '/api/v1/namespaces/kube-public')).status).toBe(200);
  });
});

test.each([
  ['', 200, 'application/json'],
  ['text/html, */*;q=0.1', 200, 'application/json'],
  [
    'application/com.github.proto-openapi.spec.v2@v1.0+protobuf, application/json;q=0.5',
    200,
    'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
  ],
  ['text/html', 406, undefined],
])('DISC-14 /openapi/v2 with Accept %j is answered %i', async (accept, status, type) => {
  const { call } = await startTestServer();
  const answer = await call('GET', '/openapi/v2', undefined, { accept });
  expect([answer.status, answer.headers['content-type']]).toEqual([status, type]);
});

describe('OpenAPI v3', () => {
  test('redirects from an URL with another hash to the current one', async () => {
    const { call } = await startTestServer();
    const index = await call('GET', '/openapi/v3');
    expect(index.headers['content-type']).toBe('text/plain; charset=utf-8');
    const right: string = index.body.paths['apis/apps/v1'].serverRelativeURL;
    const other = await call('GET', '/openapi/v3/apis/apps/v1?hash=0123&timeout=32s');
    expect([other.status, other.headers.location]).toEqual([301, right]);
    const { status, headers } = await call('GET', right);
    expect([status, headers['cache-control']]).toEqual([200, 'public, immutable']);
  });

  test('does not serve unknown groups', async () => {
    const { call } = await startTestServer();
    const { status, headers, body } = await call('GET', '/openapi/v3/apis/example.com/v1?hash=0123');
    expect([status, headers['content-type'], body]).toEqual([404, undefined, undefined]);
  });
});
