import { seededRandom } from '@coracle/base';
import { Faults, faultyClock, faultyRuntime, faultyStore, faultyTransport, mildFaults } from '@coracle/testing';
import { type Cluster, type ClusterOptions, startCluster as start } from '../../packages/cluster/src/index.js';

export * from '../../packages/cluster/src/index.js';

/** The cluster of the behaviour tests, with mild faults at every seam. `CORACLE_FAULT_SEED` chooses which. */
export function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  return start({
    wrap: ({ activity }) => {
      const random = seededRandom(Number(process.env['CORACLE_FAULT_SEED'] ?? 1));
      const faults = new Faults({ random, activity, rates: mildFaults });
      return {
        clock: (clock) => faultyClock(clock, faults),
        store: (store) => faultyStore(store, faults),
        transport: (transport) => faultyTransport(transport, faults),
        runtime: (runtime) => faultyRuntime(runtime, faults),
      };
    },
    ...options,
  });
}
