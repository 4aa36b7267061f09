import { expect, test } from 'vitest';
import { startTestServer } from '../../server.fixture.js';

const pods = '/api/v1/namespaces/default/pods';
const evictions = `${pods}/web/eviction`;

function eviction(preconditions: object) {
  return { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web' }, deleteOptions: { preconditions } };
}

/** A pending pod that another client changes just before the server writes to it, once. */
async function withBusyPod() {
  const server = await startTestServer();
  const { call, store } = server;
  const spec = { nodeName: 'node-1', containers: [{ name: 'c', image: 'i' }] };
  const { body } = await call('POST', pods, { metadata: { name: 'web' }, spec });
  const transact = store.transact.bind(store);
  let isBusy = true;
  store.transact = async (transaction) => {
    if (isBusy && transaction.operations.some(({ key }) => key.endsWith('/pods/default/web'))) {
      isBusy = false;
      const change = { metadata: { labels: { changed: 'yes' } } };
      await call('PATCH', `${pods}/web`, change, { 'content-type': 'application/merge-patch+json' });
    }
    return await transact(transaction);
  };
  return { ...server, pod: body };
}

test('an eviction with a uid is retried when the pod has changed', async () => {
  const { call, pod } = await withBusyPod();
  const { status, body } = await call('POST', evictions, eviction({ uid: pod.metadata.uid }));
  expect([status, body.message]).toEqual([201, undefined]);
});

test('one that names the version of the pod is not', async () => {
  const { call, pod } = await withBusyPod();
  const { resourceVersion } = pod.metadata;
  expect((await call('POST', evictions, eviction({ resourceVersion }))).status).toBe(409);
});

test('one of another pod of the same name is refused', async () => {
  const { call } = await withBusyPod();
  expect((await call('POST', evictions, eviction({ uid: 'other' }))).status).toBe(409);
});
