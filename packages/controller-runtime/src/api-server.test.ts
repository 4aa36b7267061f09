import { seededRandom } from '@coracle/base';
import { startCluster } from '@coracle/cluster';
import { describeControllerRuntime, virtualTime } from '@coracle/testing';

describeControllerRuntime('in process', async () => {
  const components = { controllers: false, scheduler: false };
  const cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, components });
  const { client, clock } = cluster;
  return {
    client,
    clock,
    random: seededRandom(1),
    namespace: 'default',
    ...virtualTime(clock),
    [Symbol.asyncDispose]: () => cluster.stop(),
  };
});
