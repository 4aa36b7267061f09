import { schemaOfKind } from '@coracle/api';
import {
  type ApiRequest,
  type ApiResponse,
  decodeKind,
  encodeKind,
  type ObjectSchema,
  WatchFrameReader,
} from '@coracle/apimachinery';
import { VirtualClock } from '@coracle/base';
import { createMemoryStore, type Store } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import type { ApiServer } from './api-server-options.js';
import { startTestServer } from './server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const makeConfigMap = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

describe('an object', () => {
  test('ROUTE-09 WRITE-08 WRITE-15 ETCD-06 ETCD-09 DEL-01 ERR-14 is created, read, changed and deleted', async () => {
    const { call } = await startTestServer();
    const created = await call('POST', configMaps, makeConfigMap('a', { k: 'v' }));
    expect(created.status).toBe(201);
    expect(created.body.metadata).toMatchObject({ name: 'a', namespace: 'default', uid: expect.any(String) });
    const read = await call('GET', `${configMaps}/a`);
    expect(read.body).toEqual(created.body);
    const updated = await call('PUT', `${configMaps}/a`, makeConfigMap('a', { k: 'w' }));
    expect(updated.body.data).toEqual({ k: 'w' });
    expect(Number(updated.body.metadata.resourceVersion)).toBeGreaterThan(
      Number(created.body.metadata.resourceVersion),
    );
    const patched = await call(
      'PATCH',
      `${configMaps}/a`,
      { data: { x: 'y' } },
      { 'content-type': 'application/merge-patch+json' },
    );
    expect(patched.body.data).toEqual({ k: 'w', x: 'y' });
    const deleted = await call('DELETE', `${configMaps}/a`);
    expect(deleted.body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'a', kind: 'configmaps' },
    });
    expect((await call('GET', `${configMaps}/a`)).body).toMatchObject({
      reason: 'NotFound',
      message: 'configmaps "a" not found',
    });
  });

  test('KEY-02 STORE-34 is listed with others in the order of names', async () => {
    const { call } = await startTestServer();
    for (const name of ['b', 'c', 'a']) await call('POST', configMaps, makeConfigMap(name));
    const list = await call('GET', configMaps);
    expect(list.body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(list.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['a', 'b', 'c']);
    expect(list.body.items[0]).not.toHaveProperty('kind');
  });

  test('WATCH-01 is watched', async () => {
    const { call, watch, clock } = await startTestServer();
    await call('POST', configMaps, makeConfigMap('a'));
    const seen = await watch(`${configMaps}?watch=1`);
    await call('PUT', `${configMaps}/a`, makeConfigMap('a', { k: 'v' }));
    await call('DELETE', `${configMaps}/a`);
    await clock.settle();
    expect(seen.events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });
});

describe('the number of replicas', () => {
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  const deployment = {
    metadata: { name: 'web' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };

  test('is read and written through the scale of a deployment', async () => {
    const { call } = await startTestServer();
    await call('POST', deployments, deployment);
    const scale = await call('GET', `${deployments}/web/scale`);
    expect(scale.body).toMatchObject({ kind: 'Scale', spec: { replicas: 1 }, status: { selector: 'app=web' } });
    const replaced = await call('PUT', `${deployments}/web/scale`, { ...scale.body, spec: { replicas: 3 } });
    expect(replaced.body.spec).toEqual({ replicas: 3 });
    const type = { 'content-type': 'application/merge-patch+json' };
    const patched = await call('PATCH', `${deployments}/web/scale`, { spec: { replicas: 5 } }, type);
    expect(patched.body.spec).toEqual({ replicas: 5 });
    const { body } = await call('GET', `${deployments}/web`);
    expect(body.spec.replicas).toBe(5);
    expect(body.metadata.managedFields.some((entry: { subresource?: string }) => entry.subresource === 'scale')).toBe(
      true,
    );
  });

  test('may not be negative', async () => {
    const { call } = await startTestServer();
    await call('POST', deployments, deployment);
    const refused = await call('PUT', `${deployments}/web/scale`, {
      metadata: { name: 'web' },
      spec: { replicas: -1 },
    });
    expect(refused.status).toBe(422);
  });
});

describe('protobuf', () => {
  const type = 'application/vnd.kubernetes.protobuf';
  const schema = schemaOfKind({ group: '', version: 'v1', kind: 'ConfigMap' }) as ObjectSchema;
  const bytesOf = ({ body }: ApiResponse) => (body.kind === 'bytes' ? body.chunks : []);
  const send = (server: ApiServer, request: Partial<ApiRequest>) =>
    server.exchange({ method: 'GET', path: configMaps, query: '', headers: { accept: type }, ...request });

  test('WATCH-10 is read and written like JSON: objects, lists and events', async () => {
    const { server, call } = await startTestServer();
    const bytes = encodeKind(makeConfigMap('a', { k: 'v' }), schema);
    const created = await send(server, {
      method: 'POST',
      headers: { accept: type, 'content-type': type },
      body: { kind: 'bytes', bytes },
    });
    expect(created.status).toBe(201);
    expect(decodeKind(bytesOf(created)[0] as Uint8Array, schemaOfKind)).toMatchObject({ data: { k: 'v' } });
    const list = await send(server, {});
    const whole = new Uint8Array(bytesOf(list).flatMap((chunk) => [...chunk]));
    expect(decodeKind(whole, schemaOfKind)).toMatchObject({
      kind: 'ConfigMapList',
      items: [{ metadata: { name: 'a' } }],
    });
    const watch = await send(server, { query: 'watch=1' });
    expect(watch.headers['content-type']).toBe(`${type};stream=watch`);
    const frames: string[] = [];
    const reader = new WatchFrameReader();
    if (watch.body.kind !== 'stream') throw new Error('no stream');
    watch.body.stream.open({
      write: (chunk) => {
        for (const frame of reader.push(chunk)) frames.push(frame.type);
        return true;
      },
      end: () => {},
      onDrain: () => {},
      onClose: () => {},
    });
    await call('DELETE', `${configMaps}/a`);
    expect(frames).toEqual(['ADDED', 'DELETED']);
  });
});

test('a server that cannot start leaves nothing running on its store', async () => {
  const store = await createMemoryStore({ clock: new VirtualClock() });
  let watches = 0;
  const failing: Store = {
    get: (key, options) => store.get(key, options),
    list: (prefix, options) => store.list(prefix, options),
    count: (prefix) => store.count(prefix),
    transact: () => Promise.reject(new Error('the disk is full')),
    watch: (prefix, from, listener) => {
      const watch = store.watch(prefix, from, listener);
      watches++;
      return {
        requestProgress: () => watch.requestProgress(),
        [Symbol.dispose]: () => {
          watches--;
          watch[Symbol.dispose]();
        },
      };
    },
    currentRevision: () => store.currentRevision(),
    grantLease: (ttlSeconds) => store.grantLease(ttlSeconds),
    revokeLease: (id) => store.revokeLease(id),
    compact: (revision) => store.compact(revision),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
  await expect(startTestServer({ store: failing })).rejects.toThrow('the disk is full');
  expect(watches).toBe(0);
});
