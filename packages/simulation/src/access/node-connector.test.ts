import { describeNodeConnector } from '@coracle/testing';
import { node, startTestNodes } from '../nodes.fixture.js';
import { simulatedConnector } from './node-access.js';

describeNodeConnector('simulated nodes', async () => {
  const { nodes, run } = await startTestNodes(2);
  await run('web', { containers: [{ name: 'c', image: 'nginx' }] }, { logs: 'listening' });
  const [, failed = ''] = nodes.names;
  await nodes.stopNode(failed);
  return {
    connector: simulatedConnector(nodes),
    node: { metadata: { name: node } },
    unreachable: { metadata: { name: failed } },
    [Symbol.asyncDispose]: () => nodes[Symbol.asyncDispose](),
  };
});
