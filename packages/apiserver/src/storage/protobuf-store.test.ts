import { schemaOfKind } from '@coracle/api';
import { decodeKind } from '@coracle/apimachinery';
import { VirtualClock } from '@coracle/base';
import { createMemoryStore, type Operation, type Store } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

/** Like etcd, it stores only bytes. */
async function bytesOnly(clock: VirtualClock): Promise<Store> {
  const store = await createMemoryStore({ clock });
  const bare = (operation: Operation): Operation =>
    operation.kind === 'put' ? { ...operation, decoded: undefined } : operation;
  const transact: Store['transact'] = (transaction) =>
    store.transact({ ...transaction, operations: transaction.operations.map(bare) });
  return Object.assign(Object.create(store) as Store, bound(store), { transact });
}

/** The methods of the store use private fields, so they must be bound to it. */
function bound(store: Store): Partial<Store> {
  const names = ['get', 'list', 'count', 'watch', 'currentRevision', 'grantLease', 'revokeLease', 'compact'] as const;
  return Object.fromEntries(names.map((name) => [name, (store[name] as () => unknown).bind(store)]));
}

const claims = [
  { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
];
const statefulSet = {
  metadata: { name: 'db' },
  spec: {
    serviceName: 'db',
    selector: { matchLabels: { app: 'db' } },
    template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    volumeClaimTemplates: claims,
  },
};
const sets = '/apis/apps/v1/namespaces/default/statefulsets';
const configMaps = '/api/v1/namespaces/default/configmaps';

async function start() {
  const clock = new VirtualClock();
  const store = await bytesOnly(clock);
  const open = () => startTestServer({ store, clock, storageMediaType: 'application/vnd.kubernetes.protobuf' });
  return { store, open, clock };
}

describe('OP-14 FLAG-45 SCHEME-25 objects in the form of kube-apiserver', () => {
  test('are stored as protobuf behind four bytes, with their kind and without a resourceVersion', async () => {
    const { store, open } = await start();
    const { call } = await open();
    await call('POST', configMaps, { metadata: { name: 'a' }, data: { colour: 'red' } });
    const { value = new Uint8Array() } = (await store.get('/registry/configmaps/default/a')) ?? {};
    expect([...value.subarray(0, 4)]).toEqual([...new TextEncoder().encode('k8s\0')]);
    const stored = decodeKind(value, schemaOfKind);
    expect(stored).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { colour: 'red' } });
    expect(stored['metadata']).not.toHaveProperty('resourceVersion');
  });

  test('are read by the next server as they were written', async () => {
    const { open } = await start();
    const first = await open();
    const { body } = await first.call('POST', sets, statefulSet);
    expect(body.kind).toBe('StatefulSet');
    await first.server[Symbol.asyncDispose]();
    const second = await open();
    expect((await second.call('GET', `${sets}/db`)).body).toEqual(body);
  });

  test('reach watchers in this process and in another', async () => {
    const { open, clock } = await start();
    const [one, other] = [await open(), await open()];
    const [here, there] = [await one.watch(`${configMaps}?watch=1`), await other.watch(`${configMaps}?watch=1`)];
    const { body } = await one.call('POST', configMaps, { metadata: { name: 'a' } });
    await one.call(
      'PATCH',
      `${configMaps}/a`,
      { data: { x: 'y' } },
      { 'content-type': 'application/merge-patch+json' },
    );
    await one.call('DELETE', `${configMaps}/a`);
    await clock.settle();
    expect(here.events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(there.events).toEqual(here.events);
    expect(here.events[0]?.object).toEqual(body);
  });

  test('are changed by a server that finds them there', async () => {
    const { open } = await start();
    const first = await open();
    await first.call('POST', configMaps, { metadata: { name: 'a' }, data: { x: '1' } });
    await first.server[Symbol.asyncDispose]();
    const { call } = await open();
    const { body } = await call('GET', `${configMaps}/a`);
    const put = await call('PUT', `${configMaps}/a`, { ...body, data: { x: '2' } });
    expect(put.status).toBe(200);
    expect((await call('GET', `${configMaps}/a`)).body).toEqual(put.body);
    expect((await call('PUT', `${configMaps}/a`, put.body)).body.metadata.resourceVersion).toBe(
      put.body.metadata.resourceVersion,
    );
  });

  test('KEY-10 stay JSON without a protobuf schema', async () => {
    const { store, open, clock } = await start();
    const { call } = await open();
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'rafts.example.org' },
      spec: {
        group: 'example.org',
        scope: 'Namespaced',
        names: { plural: 'rafts', kind: 'Raft' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    await clock.settle();
    const path = '/apis/example.org/v1/namespaces/default/rafts';
    expect(
      (await call('POST', path, { apiVersion: 'example.org/v1', kind: 'Raft', metadata: { name: 'a' } })).status,
    ).toBe(201);
    const { value = new Uint8Array() } = (await store.get('/registry/example.org/rafts/default/a')) ?? {};
    expect(JSON.parse(new TextDecoder().decode(value))).toMatchObject({ kind: 'Raft' });
  });
});
