import { seededRandom, VirtualClock } from '@coracle/base';
import { describeRuntime } from '@coracle/testing';
import { createSimulatedRuntime } from './simulated-runtime.js';

describeRuntime('simulated', async () => {
  const clock = new VirtualClock();
  const runtime = createSimulatedRuntime({ clock, random: seededRandom(1) });
  return {
    runtime,
    images: runtime.images,
    image: 'registry.example/app:1',
    settle: () => clock.advance(60_000),
    [Symbol.asyncDispose]: async () => undefined,
  };
});
