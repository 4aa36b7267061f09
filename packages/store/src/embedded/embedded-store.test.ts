import { VirtualClock } from '@coracle/base';
import { describeStore, describeStoreModel, type StoreHarness } from '@coracle/testing';
import { createMemoryStore } from './create-store.js';

async function makeStore(): Promise<StoreHarness> {
  const clock = new VirtualClock();
  const store = await createMemoryStore({ clock });
  return { store, passTime: (ms) => clock.advance(ms), [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

describeStore('memory', makeStore);
describeStoreModel('memory', makeStore, { runs: 100, steps: 300 });
