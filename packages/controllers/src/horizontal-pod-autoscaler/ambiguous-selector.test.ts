import { findCondition } from '@coracle/apimachinery';
import { startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';

test('two autoscalers of the same pods do not scale, and report it, until one of them is deleted', async () => {
  await using cluster = await startCluster({ listen: false, nodes: 1, clock: 'virtual' });
  const { client } = cluster;
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
  await client
    .deployments('default')
    .create({ metadata: { name: 'web' }, spec: { selector: { matchLabels: labels }, template } });
  const autoscalers = client.horizontalPodAutoscalers('default');
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  for (const name of ['a', 'b'])
    await autoscalers.create({ metadata: { name }, spec: { scaleTargetRef, maxReplicas: 5 } });
  const activeOf = async (name: string) => {
    const { status } = await autoscalers.get(name);
    const { reason, message } = findCondition(status?.conditions, 'ScalingActive') ?? {};
    return { reason, message };
  };
  await cluster.clock.advance('1m');
  const ambiguous = {
    reason: 'AmbiguousSelector',
    message: 'pods by selector app=web are controlled by multiple HPAs: [{a default} {b default}]',
  };
  expect([await activeOf('a'), await activeOf('b')]).toEqual([ambiguous, ambiguous]);
  await autoscalers.delete('b');
  await cluster.clock.advance('1m');
  expect((await activeOf('a')).reason).not.toBe('AmbiguousSelector');
});
