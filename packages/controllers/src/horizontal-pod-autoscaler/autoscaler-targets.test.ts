import { type autoscalingv2, refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0 });
});
afterEach(() => cluster.stop());

const web = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

async function createTarget(replicas: number): Promise<void> {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
  await cluster.client
    .deployments('default')
    .create({ metadata: { name: 'web' }, spec: { replicas, selector: { matchLabels: labels }, template } });
}

/**
 * The autoscaler after some syncs, its conditions as `type → [status, reason, message]`, and the messages of its
 * warnings.
 */
async function scale(spec: Partial<autoscalingv2.HorizontalPodAutoscalerSpec>) {
  const { client } = cluster;
  await client
    .horizontalPodAutoscalers('default')
    .create({ metadata: { name: 'h' }, spec: { scaleTargetRef: web, maxReplicas: 5, ...spec } });
  await cluster.clock.advance('1m');
  const { status } = await client.horizontalPodAutoscalers('default').get('h');
  const events = (await client.resource(refs.events, 'default').list()).items.filter(
    ({ involvedObject }) => involvedObject?.name === 'h',
  );
  return {
    status,
    conditions: Object.fromEntries(
      (status?.conditions ?? []).map((one) => [one.type, [one.status, one.reason, one.message]]),
    ),
    events: events.map(({ reason, message }) => `${reason}: ${message}`).sort(),
  };
}

const replicas = async () => (await cluster.client.deployments('default').get('web')).spec?.replicas;

describe('HPA-7 the size of a target, without metrics', () => {
  test.each([
    ['too large', 6, { maxReplicas: 4 }, 4, 'Current number of replicas above Spec.MaxReplicas'],
    ['too small', 1, { minReplicas: 3 }, 3, 'Current number of replicas below Spec.MinReplicas'],
  ])('%s', async (_name, before, spec, after, reason) => {
    await createTarget(before);
    const { events } = await scale(spec);
    expect(await replicas()).toBe(after);
    expect(events).toContain(`SuccessfulRescale: New size: ${after}; reason: ${reason}`);
  });

  test('without any metric, it is not scaled', async () => {
    await createTarget(0);
    const { conditions, status } = await scale({});
    expect(await replicas()).toBe(0);
    expect(status).toMatchObject({ desiredReplicas: 0 });
    expect(conditions['ScalingActive']).toEqual([
      'False',
      'ScalingDisabled',
      'scaling is disabled since the replica count of the target is zero',
    ]);
  });
});

describe('OTH-8 a missing target', () => {
  test.each([
    ['apps/v1', 'Deployment', 'deployments.apps "web" not found'],
    ['v1', 'ReplicationController', 'replicationcontrollers "web" not found'],
    ['example.org/v1', 'Boat', 'no matches for kind "Boat" in group "example.org"'],
  ])('%s %s', async (apiVersion, kind, why) => {
    const { conditions, events } = await scale({ scaleTargetRef: { apiVersion, kind, name: 'web' } });
    const message = `the HPA controller was unable to get the target's current scale: ${why}`;
    expect(conditions).toEqual({ AbleToScale: ['False', 'FailedGetScale', message] });
    expect(events).toEqual([`FailedGetScale: ${why}`]);
  });

  test('a reference identifies a kind, in any version', async () => {
    await createTarget(2);
    const { conditions } = await scale({ minReplicas: 3, scaleTargetRef: { ...web, apiVersion: 'apps/v1beta2' } });
    expect(conditions['AbleToScale']?.[1]).not.toBe('FailedGetScale');
    expect(await replicas()).toBe(3);
  });
});

describe('HPA-8 HPA-9 unavailable metrics', () => {
  const custom = 'no custom metrics API (custom.metrics.k8s.io) registered';
  const noCustom = `unable to fetch metrics from custom metrics API: ${custom}`;
  const target = { type: 'Value', value: '1' };
  const cases: { metric: autoscalingv2.MetricSpec; reason: string; detail: string; message: string }[] = [
    {
      metric: { type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } } },
      reason: 'FailedGetPodsMetric',
      detail: `unable to get metric m: ${noCustom}`,
      message: `failed to get pods metric value: unable to get metric m: ${noCustom}`,
    },
    {
      metric: { type: 'Object', object: { metric: { name: 'm' }, describedObject: web, target } },
      reason: 'FailedGetObjectMetric',
      detail: `unable to get metric m: Deployment on default web/${noCustom}`,
      message: `failed to get object metric value: unable to get metric m: Deployment on default web/${noCustom}`,
    },
  ];

  const boat = { apiVersion: 'example.org/v1', kind: 'Boat', name: 'b' };
  cases.push({
    metric: { type: 'Object', object: { metric: { name: 'm' }, describedObject: boat, target } },
    reason: 'FailedGetObjectMetric',
    detail: `unable to get metric m: Boat on default b/${noCustom}`,
    message: `failed to get object metric value: unable to get metric m: Boat on default b/${noCustom}`,
  });

  const each = { type: 'AverageValue', averageValue: '1' };
  cases.push({
    metric: { type: 'Object', object: { metric: { name: 'm' }, describedObject: web, target: each } },
    reason: 'FailedGetObjectMetric',
    detail: `unable to get metric m: Deployment on default web/${noCustom}`,
    message: `failed to get object metric value: failed to get m object metric: unable to get metric m: Deployment on default web/${noCustom}`,
  });
  const ofContainer = { type: 'Utilization', averageUtilization: 50 };
  const noUsage =
    'unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)';
  cases.push({
    metric: { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'app', target: ofContainer } },
    reason: 'FailedGetContainerResourceMetric',
    detail: `failed to get cpu utilization: ${noUsage}`,
    message: `failed to get app container metric value: failed to get cpu utilization: ${noUsage}`,
  });

  test.each(cases)('$reason of $metric', async ({ metric, reason, detail, message }) => {
    await createTarget(2);
    const { conditions, events, status } = await scale({ metrics: [metric] });
    expect(conditions['ScalingActive']).toEqual([
      'False',
      reason,
      `the HPA was unable to compute the replica count: ${detail}`,
    ]);
    const summary = `invalid metrics (1 invalid out of 1), first error is: ${message}`;
    expect(events).toEqual([`FailedComputeMetricsReplicas: ${summary}`, `${reason}: ${detail}`]);
    expect(status).toMatchObject({ currentReplicas: 2, desiredReplicas: 0 });
    expect(await replicas()).toBe(2);
  });
});
