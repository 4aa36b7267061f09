import { type admissionregistrationv1, refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({ listen: false, nodes: 1, clock: 'virtual', seed: 1 });
});
afterEach(() => cluster.stop());

/** An autoscaler whose pods always use twice their target, and that may add one pod in ten minutes. */
async function startOverloaded(replicas: number, minReplicas: number, usage = '200m'): Promise<void> {
  const { client } = cluster;
  const labels = { app: 'web' };
  const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }];
  const template = { metadata: { labels }, spec: { containers } };
  cluster.nodes.setUsage(() => ({ cpu: usage, memory: '1Mi' }));
  await client
    .deployments('default')
    .create({ metadata: { name: 'web' }, spec: { replicas, selector: { matchLabels: labels }, template } });
  await cluster.clock.advance('6m');
  const target = { type: 'Utilization', averageUtilization: 100 };
  await client.horizontalPodAutoscalers('default').create({
    metadata: { name: 'web' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas,
      maxReplicas: 10,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 0, policies: [{ type: 'Pods', value: 1, periodSeconds: 600 }] },
      },
    },
  });
}

async function replicas(): Promise<number | undefined> {
  return (await cluster.client.deployments('default').get('web')).spec?.replicas;
}

/** Rejects updates of the scale, except to one replica. */
async function refuseScaling(): Promise<void> {
  const { client } = cluster;
  const policy: admissionregistrationv1.ValidatingAdmissionPolicy = {
    metadata: { name: 'one' },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['deployments/scale'] },
        ],
      },
      validations: [{ expression: 'object.spec.replicas == 1' }],
    },
  };
  await client.resource(refs.validatingAdmissionPolicies).create(policy);
  await client.resource(refs.validatingAdmissionPolicyBindings).create({
    metadata: { name: 'one' },
    spec: { policyName: 'one', validationActions: ['Deny'] },
  });
  await cluster.settled();
}

test('a rescale that succeeded uses up the policy for its period', async () => {
  await startOverloaded(1, 1);
  await cluster.clock.advance('1m');
  expect(await replicas()).toBe(2);
  await cluster.clock.advance('8m');
  expect(await replicas()).toBe(2);
  await cluster.clock.advance('2m');
  expect(await replicas()).toBe(3);
});

test('a rescale that failed does not use up the policy', async () => {
  await refuseScaling();
  await startOverloaded(1, 1);
  await cluster.clock.advance('2m');
  expect(await replicas()).toBe(1);
  const events = await cluster.client.resource(refs.events, 'default').list();
  expect(events.items.map(({ reason }) => reason)).toContain('FailedRescale');
  await cluster.client.resource(refs.validatingAdmissionPolicyBindings).delete('one');
  await cluster.clock.advance('1m');
  expect(await replicas()).toBe(2);
});

test('a rescale to the minimum counts for the policies too', async () => {
  await startOverloaded(1, 3);
  await cluster.clock.advance('8m');
  expect(await replicas()).toBe(3);
});

test('a rescale without a metric states no reason', async () => {
  await startOverloaded(3, 1, '100m');
  const autoscalers = cluster.client.horizontalPodAutoscalers('default');
  await autoscalers.patch('web', { spec: { behavior: null } }, { type: 'merge' });
  await cluster.clock.advance('1m');
  const deployments = cluster.client.deployments('default');
  await deployments.patch('web', { spec: { replicas: 2 } }, { type: 'merge' });
  await cluster.clock.advance('1m');
  const events = await cluster.client.resource(refs.events, 'default').list();
  const rescales = events.items.filter(({ reason }) => reason === 'SuccessfulRescale');
  expect(rescales.map(({ message }) => message)).toEqual(['New size: 3; reason: ']);
});
