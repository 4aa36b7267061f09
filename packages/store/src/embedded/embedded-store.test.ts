import { VirtualClock } from '@coracle/base';
import { describeStore } from '@coracle/testing';
import { createMemoryStore } from './create-store.js';

describeStore('memory', async () => {
  const clock = new VirtualClock();
  const store = await createMemoryStore({ clock });
  return { store, passTime: (ms) => clock.advance(ms), [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
});
