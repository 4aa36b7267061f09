import { seededRandom } from '@coracle/base';
import { type FaultRates, Faults, faultyClock, faultyRuntime, faultyStore, faultyTransport } from '@coracle/testing';
import type { SeamWrappers, WrapperDependencies } from '../../packages/cluster/src/index.js';

/** Faults, and wrappers that inject them into every seam of a cluster. */
export function faultySeams(
  { activity }: WrapperDependencies,
  { seed, rates }: { readonly seed: number; readonly rates: FaultRates },
): { readonly faults: Faults; readonly seams: Required<SeamWrappers> } {
  const faults = new Faults({ random: seededRandom(seed), activity, rates });
  return {
    faults,
    seams: {
      clock: (clock) => faultyClock(clock, faults),
      store: (store) => faultyStore(store, faults),
      transport: (transport) => faultyTransport(transport, faults),
      runtime: (runtime) => faultyRuntime(runtime, faults),
    },
  };
}
