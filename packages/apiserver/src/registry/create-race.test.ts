import { expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const services = '/api/v1/namespaces/default/services';
const apply = { 'content-type': 'application/apply-patch+yaml' };

/** A server where another client creates `name`, by `create`, just before the first write to it. */
async function withRival(name: string, create: (call: Awaited<ReturnType<typeof startTestServer>>['call']) => unknown) {
  const server = await startTestServer();
  const { store, call } = server;
  const transact = store.transact.bind(store);
  let isFirst = true;
  store.transact = async (transaction) => {
    if (isFirst && transaction.operations.some(({ key }) => key.endsWith(`/${name}`))) {
      isFirst = false;
      await create(call);
    }
    return await transact(transaction);
  };
  return server;
}

test('an apply is merged with an object that another client creates concurrently', async () => {
  const map = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data });
  const { call } = await withRival('a', (rival) =>
    rival('PATCH', `${configMaps}/a?fieldManager=rival`, map({ theirs: '1' }), apply),
  );
  const { status, body } = await call('PATCH', `${configMaps}/a?fieldManager=us`, map({ ours: '1' }), apply);
  expect([status, body.data]).toEqual([200, { theirs: '1', ours: '1' }]);
});

test('a PUT for an object that another client has just created replaces it', async () => {
  const service = (port: number) => ({ metadata: { name: 's' }, spec: { clusterIP: 'None', ports: [{ port }] } });
  const { call } = await withRival('s', (rival) => rival('POST', services, service(1)));
  const { status, body } = await call('PUT', `${services}/s`, service(2));
  expect([status, body.spec?.ports?.[0]?.port]).toEqual([200, 2]);
});
