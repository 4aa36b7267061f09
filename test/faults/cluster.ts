import { mildFaults } from '@coracle/testing';
import { type Cluster, type ClusterOptions, startCluster as start } from '../../packages/cluster/src/index.js';
import { faultySeams } from './faulty-seams.js';

export * from '../../packages/cluster/src/index.js';

/** The cluster of the behaviour tests, with mild faults at every seam. `CORACLE_FAULT_SEED` chooses which. */
export function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  return start({
    wrap: (deps) => {
      const seed = Number(process.env['CORACLE_FAULT_SEED'] ?? 1);
      return faultySeams(deps, { seed, rates: mildFaults }).seams;
    },
    ...options,
  });
}
