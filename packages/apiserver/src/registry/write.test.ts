import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const mergePatch = { 'content-type': 'application/merge-patch+json' };
const applyPatch = { 'content-type': 'application/apply-patch+yaml' };

async function withConfigMap() {
  const server = await startTestServer();
  const { body } = await server.call('POST', configMaps, { metadata: { name: 'a' }, data: { k: 'v' } });
  return { ...server, created: body };
}

describe('a new object', () => {
  test('STORE-14 gets the fields that only the server sets', async () => {
    const { call } = await startTestServer();
    const metadata = {
      name: 'a',
      uid: 'mine',
      creationTimestamp: '2000-01-01T00:00:00Z',
      deletionTimestamp: '2000-01-01T00:00:00Z',
    };
    const { body } = await call('POST', configMaps, { metadata });
    expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.metadata.creationTimestamp).toBe('2026-01-01T00:00:00Z');
    expect(body.metadata).not.toHaveProperty('deletionTimestamp');
  });

  test('STORE-17 gets a name that begins with generateName', async () => {
    const { call } = await startTestServer();
    const { body } = await call('POST', configMaps, { metadata: { generateName: `${'x'.repeat(70)}` } });
    expect(body.metadata.name).toMatch(/^x{58}[a-z0-9]{5}$/);
  });

  test('STORE-18 ERR-07 ETCD-05 does not replace an existing object', async () => {
    const { call } = await withConfigMap();
    const { status, body } = await call('POST', configMaps, { metadata: { name: 'a' } });
    expect(status).toBe(409);
    expect(body).toMatchObject({ reason: 'AlreadyExists', message: 'configmaps "a" already exists' });
  });

  test('STORE-18 whose generated name conflicts eight times may try again', async () => {
    const random = { next: () => 0.5 };
    const { call } = await startTestServer({ random });
    const generated = { metadata: { generateName: 'a-' } };
    expect((await call('POST', configMaps, generated)).status).toBe(201);
    const { headers, body } = await call('POST', configMaps, generated);
    expect(body).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: expect.stringMatching(
        /^configmaps "a-.{5}" already exists, the server was not able to generate a unique name for the object$/,
      ),
      details: { retryAfterSeconds: 1 },
    });
    expect(headers['retry-after']).toBe('1');
  });

  test('STORE-19 reports that the existing object is being deleted', async () => {
    const { call } = await startTestServer();
    await call('POST', configMaps, { metadata: { name: 'a', finalizers: ['example.com/x'] } });
    await call('DELETE', `${configMaps}/a`);
    const { body } = await call('POST', configMaps, { metadata: { name: 'a' } });
    expect(body.message).toBe('object is being deleted: configmaps "a" already exists');
  });

  test('STORE-16 STORE-41 is rejected with all field errors', async () => {
    const { call } = await startTestServer();
    const { status, body } = await call('POST', configMaps, {
      metadata: { name: 'A_B', labels: { '-': 'x' } },
      data: { 'a/b': 'x' },
    });
    expect(status).toBe(422);
    expect(body.reason).toBe('Invalid');
    expect(body.details).toMatchObject({ name: 'A_B', kind: 'ConfigMap' });
    expect(body.details.causes.map(({ field }: { field: string }) => field)).toEqual([
      'metadata.name',
      'metadata.labels',
      'data[a/b]',
    ]);
  });

  test('STORE-38 that holds more than a mebibyte is refused', async () => {
    const { call } = await startTestServer();
    const { status, body } = await call('POST', configMaps, {
      metadata: { name: 'a' },
      data: { k: 'x'.repeat(1024 * 1024 + 1) },
    });
    expect([status, body.details.causes[0].reason]).toEqual([422, 'FieldValueTooLong']);
  });

  test('STORE-15 of a cluster-wide kind loses the namespace that it names', async () => {
    const { call } = await startTestServer();
    const { body } = await call('POST', '/api/v1/namespaces', { metadata: { name: 'team', namespace: 'other' } });
    expect(body.metadata).not.toHaveProperty('namespace');
  });

  test('STORE-23 of a dry run does not exist afterwards', async () => {
    const { call } = await startTestServer();
    expect((await call('POST', `${configMaps}?dryRun=All`, { metadata: { name: 'a' } })).status).toBe(201);
    expect((await call('GET', `${configMaps}/a`)).status).toBe(404);
  });
});

describe('an update', () => {
  test('WRITE-16 of an old version is a conflict', async () => {
    const { call, created } = await withConfigMap();
    await call('PUT', `${configMaps}/a`, { metadata: { name: 'a' }, data: { k: 'w' } });
    const { status, body } = await call('PUT', `${configMaps}/a`, { ...created, data: {} });
    expect(status).toBe(409);
    expect(body.message).toBe(
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    );
  });

  test('ETCD-11 without a change gets no new revision', async () => {
    const { call, created } = await withConfigMap();
    const { body } = await call('PUT', `${configMaps}/a`, created);
    expect(body.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  });

  test('must name the object of its URL', async () => {
    const { call } = await withConfigMap();
    const { status, body } = await call('PUT', `${configMaps}/a`, { metadata: { name: 'b' } });
    expect(status).toBe(400);
    expect(body.message).toBe('the name of the object (b) does not match the name on the URL (a)');
  });

  test('ETCD-12 of another object of the same name is a conflict', async () => {
    const { call } = await withConfigMap();
    const { status } = await call('PUT', `${configMaps}/a`, { metadata: { name: 'a', uid: 'other' } });
    expect(status).toBe(409);
  });

  test('WRITE-15 creates an object where the kind allows that, and nowhere else', async () => {
    const { call } = await startTestServer();
    expect((await call('PUT', `${configMaps}/a`, { metadata: { name: 'a' } })).status).toBe(404);
    const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/a';
    expect((await call('PUT', lease, { metadata: { name: 'a' } })).status).toBe(201);
  });

  test('ETCD-11 PATCH-06 of many concurrent writers loses none of their changes', async () => {
    const { call } = await withConfigMap();
    const writes = Array.from({ length: 20 }, (_, i) =>
      call('PATCH', `${configMaps}/a`, { data: { [`k${i}`]: 'x' } }, mergePatch),
    );
    expect((await Promise.all(writes)).every(({ status }) => status === 200)).toBe(true);
    const { body } = await call('GET', `${configMaps}/a`);
    expect(Object.keys(body.data)).toHaveLength(21);
  });
});

describe('server-side apply', () => {
  const config = (data: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data,
  });

  test('PATCH-07 an apply needs a manager, creates the object, and changes nothing the second time', async () => {
    const { call } = await startTestServer();
    expect((await call('PATCH', `${configMaps}/a`, config({ k: 'v' }), applyPatch)).status).toBe(422);
    const first = await call('PATCH', `${configMaps}/a?fieldManager=me`, config({ k: 'v' }), applyPatch);
    expect(first.status).toBe(201);
    const again = await call('PATCH', `${configMaps}/a?fieldManager=me`, config({ k: 'v' }), applyPatch);
    expect(again.status).toBe(200);
    expect(again.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
  });

  test('PATCH-07 an apply is a conflict with another manager unless forced', async () => {
    const { call } = await startTestServer();
    await call('PATCH', `${configMaps}/a?fieldManager=me`, config({ k: 'v' }), applyPatch);
    const refused = await call('PATCH', `${configMaps}/a?fieldManager=you`, config({ k: 'w' }), applyPatch);
    expect(refused.status).toBe(409);
    expect(refused.body.details.causes[0]).toMatchObject({ reason: 'FieldManagerConflict', field: '.data.k' });
    const forced = await call('PATCH', `${configMaps}/a?fieldManager=you&force=true`, config({ k: 'w' }), applyPatch);
    expect(forced.body.data).toEqual({ k: 'w' });
  });
});

describe('versions of a resource', () => {
  test('KEY-05 show the same event in both groups', async () => {
    const { call } = await startTestServer();
    await call('POST', '/api/v1/namespaces/default/events', {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
      message: 'it happened',
      reason: 'Test',
    });
    const { body } = await call('GET', '/apis/events.k8s.io/v1/namespaces/default/events/e');
    expect(body).toMatchObject({ apiVersion: 'events.k8s.io/v1', note: 'it happened', regarding: { name: 'p' } });
  });

  test('SCHEME-09 are read and written in each other', async () => {
    const { call } = await startTestServer();
    const path = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
    const spec = {
      scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' },
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 70,
    };
    const created = await call('POST', path('v1'), { metadata: { name: 'h' }, spec });
    expect(created.body).toMatchObject({ apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 70 } });
    const { body } = await call('GET', `${path('v2')}/h`);
    expect(body.spec.metrics).toEqual([
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
    ]);
  });
});

describe('EVENT-08 an event', () => {
  test('expires after an hour', async () => {
    const { call, clock } = await startTestServer();
    const events = '/api/v1/namespaces/default/events';
    await call('POST', events, { metadata: { name: 'e' }, involvedObject: { namespace: 'default' } });
    await clock.advance(3_600_000 - 1000);
    expect((await call('GET', `${events}/e`)).status).toBe(200);
    await clock.advance(300_000);
    expect((await call('GET', `${events}/e`)).status).toBe(404);
  });
});

test('WRITE-10 an object that is too large loses its managed fields, and nothing else', async () => {
  const { call } = await startTestServer();
  const data = Object.fromEntries(Array.from({ length: 70_000 }, (_, index) => [`k${index}`, '']));
  const path = '/api/v1/namespaces/default/configmaps';
  const { status, body } = await call('POST', path, { metadata: { name: 'large' }, data });
  expect(status).toBe(201);
  expect(Object.keys(body.data)).toHaveLength(70_000);
  expect(body.metadata.managedFields).toBeUndefined();
  expect((await call('GET', `${path}/large`)).body).toEqual(body);
});
