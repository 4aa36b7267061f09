import { type Store, StoreError } from '@coracle/store';
import { expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const apiService = '/apis/apiregistration.k8s.io/v1/apiservices/v1.example.org';
const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const crd = {
  metadata: { name: 'boats.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'boats', kind: 'Boat' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
};

/** Fails some calls of the store before the others succeed. */
const failures: Readonly<Record<string, (store: Store) => void>> = {
  'its objects cannot be listed': (store) => {
    const list = store.list.bind(store);
    let left = 3;
    store.list = async (prefix, options) => {
      if (prefix.includes('/boats/') && left-- > 0) throw new StoreError('Unavailable', 'the store is away');
      return await list(prefix, options);
    };
  },
  'its status cannot be written': (store) => {
    const transact = store.transact.bind(store);
    let left = 3;
    store.transact = async (transaction) => {
      const isUpdate = transaction.compare.some(
        ({ key, modRevision }) => key.endsWith('/boats.example.org') && modRevision > 0,
      );
      if (isUpdate && left-- > 0) throw new StoreError('Unavailable', 'the store is away');
      return await transact(transaction);
    };
  },
  'its APIService cannot be written': (store) => {
    const transact = store.transact.bind(store);
    let left = 3;
    store.transact = async (transaction) => {
      const isApiService = transaction.operations.some(({ key }) => key.endsWith('/v1.example.org'));
      if (isApiService && left-- > 0) throw new StoreError('Unavailable', 'the store is away');
      return await transact(transaction);
    };
  },
};

test.each(Object.entries(failures))('a CRD is served and established although %s at first', async (_what, fail) => {
  const { call, store, clock } = await startTestServer();
  fail(store);
  await call('POST', crds, crd);
  await clock.advance(60_000);
  expect((await call('GET', '/apis/example.org/v1/boats')).status).toBe(200);
  const { body } = await call('GET', `${crds}/boats.example.org`);
  expect(body.status.conditions).toContainEqual(expect.objectContaining({ type: 'Established', status: 'True' }));
  expect((await call('GET', apiService)).status).toBe(200);
});
