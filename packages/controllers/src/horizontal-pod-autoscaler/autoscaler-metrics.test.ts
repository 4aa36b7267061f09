import { PrometheusMetrics, VirtualClock } from '@coracle/base';
import { startCluster } from '@coracle/cluster';
import { describe, expect, test } from 'vitest';
import { AutoscalerMetrics, scalingAction } from './autoscaler-metrics.js';

const prefix = 'horizontal_pod_autoscaler_controller_';

describe('the metrics of autoscalers', () => {
  test('have the names, labels and buckets of kube-controller-manager', async () => {
    const clock = new VirtualClock();
    const metrics = new PrometheusMetrics();
    const measured = new AutoscalerMetrics({ metrics, clock });
    const startedAt = clock.now();
    await clock.advance(3);
    measured.reconciled({ action: 'scale_up', error: 'none' }, startedAt);
    measured.computed({ action: 'none', error: 'spec' }, 'Pods', startedAt);
    const lines = metrics.render().split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        `${prefix}reconciliations_total{action="scale_up",error="none"} 1`,
        `${prefix}reconciliation_duration_seconds_bucket{action="scale_up",error="none",le="0.002"} 0`,
        `${prefix}reconciliation_duration_seconds_bucket{action="scale_up",error="none",le="0.004"} 1`,
        `${prefix}reconciliation_duration_seconds_bucket{action="scale_up",error="none",le="16.384"} 1`,
        `${prefix}metric_computation_total{action="none",error="spec",metric_type="Pods"} 1`,
        `${prefix}metric_computation_duration_seconds_sum{action="none",error="spec",metric_type="Pods"} 0.003`,
      ]),
    );
  });

  test.each([
    [2, 3, 'scale_up'],
    [3, 2, 'scale_down'],
    [2, 2, 'none'],
  ])('call it from %i to %i replicas %s', (from, to, action) => {
    expect(scalingAction(from, to)).toBe(action);
  });

  test('are those of a cluster with autoscalers', async () => {
    await using cluster = await startCluster({ listen: false, nodes: 1, clock: 'virtual' });
    const { client } = cluster;
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
    await client
      .deployments('default')
      .create({ metadata: { name: 'web' }, spec: { replicas: 1, selector: { matchLabels: labels }, template } });
    const scale = (name: string, target: string, minReplicas: number) =>
      client.horizontalPodAutoscalers('default').create({
        metadata: { name },
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: target },
          minReplicas,
          maxReplicas: 5,
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
          ],
        },
      });
    await scale('web', 'web', 2);
    await scale('lost', 'nothing', 1);
    await cluster.clock.advance('1m');
    const text = String((await client.raw('GET', '/metrics')).body);
    expect(text).toContain(`${prefix}reconciliations_total{action="scale_up",error="none"} 1\n`);
    expect(text).toMatch(new RegExp(`^${prefix}reconciliations_total{action="none",error="internal"} [1-9]`, 'm'));
    // Containers without requests have no utilization.
    expect(text).toMatch(
      new RegExp(
        `^${prefix}metric_computation_total{action="none",error="internal",metric_type="Resource"} [1-9]`,
        'm',
      ),
    );
  });
});
