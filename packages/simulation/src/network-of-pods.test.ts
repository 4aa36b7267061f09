import { expect, test } from 'vitest';
import type { ClusterNetwork } from './network/simulated-network.js';
import { startTestNodes, stateOf, web } from './nodes.fixture.js';

test('the network of the cluster is opened by the first container that sends a request, and not before', async () => {
  const { clock, nodes, pods, run } = await startTestNodes();
  const urls: string[] = [];
  let openings = 0;
  const network: Pick<ClusterNetwork, 'fetch'> = {
    fetch: async (request, { from } = {}) => {
      urls.push(`${from} ${(request as Request).url}`);
      return new Response('');
    },
  };
  nodes.setNetwork(() => {
    openings++;
    return network as ClusterNetwork;
  });
  const shell = { ...web, command: ['sh'], stdin: true };
  await run('shell', { containers: [shell] });
  await run('web');
  expect(openings).toBe(0);
  await run('fetch', { restartPolicy: 'Never', containers: [{ ...web, command: ['wget'], args: ['web:80'] }] });
  await clock.settle();
  expect(stateOf(await pods.get('fetch'))).toBe('ended: 0 Completed');
  expect([openings, urls]).toEqual([1, ['default/fetch http://web/']]);
});
