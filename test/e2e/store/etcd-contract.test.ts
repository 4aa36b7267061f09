import { setTimeout as wait } from 'node:timers/promises';
import { createEtcdStore, systemClock } from '@coracle/platform-nodejs';
import { describeStore, describeStoreModel, type StoreHarness } from '@coracle/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { EtcdCluster, hasEtcd } from './etcd-process.js';

describe.skipIf(!hasEtcd)('a real etcd (needs the program etcd)', () => {
  let cluster: EtcdCluster;
  let stores = 0;
  beforeAll(async () => {
    cluster = await EtcdCluster.start(1);
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  async function makeStore(): Promise<StoreHarness> {
    const store = await createEtcdStore({
      endpoints: cluster.endpoints,
      clock: systemClock,
      prefix: `/test-${stores++}`,
    });
    return { store, passTime: (ms) => wait(ms), [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
  }

  describeStore('etcd', makeStore);
  describeStoreModel('etcd', makeStore, { runs: 3, steps: 200 });
});
