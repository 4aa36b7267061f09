import { type Cluster, startCluster } from '@coracle/cluster';

/** A cluster on virtual time that runs only what a test starts: no controllers, no scheduler, no nodes. */
export function startBareCluster(): Promise<Cluster> {
  const components = { controllers: false, scheduler: false };
  return startCluster({ listen: false, clock: 'virtual', nodes: 0, components });
}
