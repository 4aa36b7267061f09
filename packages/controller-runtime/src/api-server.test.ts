import { seededRandom } from '@coracle/base';
import { describeControllerRuntime, virtualTime } from '@coracle/testing';
import { startBareCluster } from './bare-cluster.fixture.js';

describeControllerRuntime('in process', async () => {
  const cluster = await startBareCluster();
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
