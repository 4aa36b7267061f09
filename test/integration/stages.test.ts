import { startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';
import { web } from './kubectl.js';

const ready = `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-ready}
spec:
  resourceRef: {kind: Pod}
  selector:
    matchExpressions: [{key: .status.podIP, operator: DoesNotExist}]
  delay: {durationMilliseconds: 3000}
  next:
    statusTemplate: |
      conditions: [{type: Ready, status: "True", lastTransitionTime: {{ Now | Quote }}}]
      phase: Running
      podIP: {{ PodIPWith .spec.nodeName false .metadata.uid .metadata.name .metadata.namespace | Quote }}
`;

test('the pods of a deployment become ready by a KWOK stage', async () => {
  const stages = [{ name: 'stages.yaml', text: ready }];
  const cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2, seed: 1, stages });
  try {
    await cluster.client.deployments('default').create(web);
    await cluster.settled();
    const readyReplicas = async () =>
      (await cluster.client.deployments('default').get('web')).status?.readyReplicas ?? 0;
    expect(await readyReplicas()).toBe(0);
    await cluster.clock.advance('5s');
    expect(await readyReplicas()).toBe(2);
    const { items } = await cluster.client.pods('default').list();
    expect(items.map(({ status }) => status?.podIP)).toEqual([
      expect.stringMatching(/^10\.244\./),
      expect.stringMatching(/^10\.244\./),
    ]);
  } finally {
    await cluster.stop();
  }
});

test('a stage that cannot be played is refused at the start', async () => {
  const stages = [{ name: 'stages.yaml', text: ready.replace('kind: Pod', 'kind: Service') }];
  await expect(startCluster({ listen: false, stages })).rejects.toThrow(
    'stages.yaml: stage "pod-ready": v1 Service has no stages here',
  );
});
