import { describe, expect, test } from 'vitest';
import { builtInConversions } from './conversions.js';

const conversions = builtInConversions();

describe('events', () => {
  const core = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e', namespace: 'default' },
    involvedObject: { kind: 'Pod', name: 'web' },
    message: 'Pulled',
    source: { component: 'kubelet' },
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:01Z',
    count: 2,
    reportingComponent: 'kubelet',
    type: 'Normal',
  };

  test('have other names for some of their fields in events.k8s.io', () => {
    expect(conversions.convert(core, 'events.k8s.io/v1')).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'e', namespace: 'default' },
      regarding: { kind: 'Pod', name: 'web' },
      note: 'Pulled',
      deprecatedSource: { component: 'kubelet' },
      deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
      deprecatedLastTimestamp: '2026-01-01T00:00:01Z',
      deprecatedCount: 2,
      reportingController: 'kubelet',
      type: 'Normal',
    });
  });

  test('come back as they were', () => {
    expect(conversions.convert(conversions.convert(core, 'events.k8s.io/v1'), 'v1')).toEqual(core);
  });
});

describe('autoscalers', () => {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const v2 = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web', annotations: { note: 'x' } },
    spec: {
      scaleTargetRef,
      maxReplicas: 5,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
        { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } },
        {
          type: 'Pods',
          pods: {
            metric: { name: 'rps', selector: { matchLabels: { a: 'b' } } },
            target: { type: 'AverageValue', averageValue: '10' },
          },
        },
        {
          type: 'Object',
          object: {
            describedObject: { kind: 'Ingress', name: 'i' },
            metric: { name: 'hits' },
            target: { type: 'Value', value: '5' },
          },
        },
        { type: 'External', external: { metric: { name: 'queue' }, target: { type: 'Value', value: '30' } } },
        {
          type: 'ContainerResource',
          containerResource: { name: 'cpu', container: 'web', target: { type: 'Utilization', averageUtilization: 50 } },
        },
      ],
      behavior: { scaleDown: { stabilizationWindowSeconds: 60 } },
    },
    status: {
      desiredReplicas: 2,
      currentReplicas: 1,
      currentMetrics: [
        { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 40, averageValue: '200m' } } },
      ],
      conditions: [{ type: 'AbleToScale', status: 'True' }],
    },
  };

  test('have their CPU target in a field of autoscaling/v1, and the rest in annotations', () => {
    const v1 = conversions.convert(v2 as { apiVersion: string; kind: string }, 'autoscaling/v1') as typeof v2;
    expect(v1.spec).toEqual({ scaleTargetRef, maxReplicas: 5, targetCPUUtilizationPercentage: 80 });
    expect(v1.status).toEqual({ desiredReplicas: 2, currentReplicas: 1, currentCPUUtilizationPercentage: 40 });
    const metrics = JSON.parse(
      (v1.metadata.annotations as Record<string, string>)['autoscaling.alpha.kubernetes.io/metrics'] ?? '',
    );
    expect(metrics[0]).toEqual({ type: 'Resource', resource: { name: 'memory', targetAverageValue: '1Gi' } });
    expect(metrics[2]).toEqual({
      type: 'Object',
      object: { metricName: 'hits', target: { kind: 'Ingress', name: 'i' }, targetValue: '5' },
    });
  });

  test('come back as they were', () => {
    expect(conversions.convert(conversions.convert(v2, 'autoscaling/v1'), 'autoscaling/v2')).toEqual(v2);
  });

  test('of autoscaling/v1 become a metric', () => {
    const v1 = {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web' },
      spec: { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 70 },
    };
    expect(conversions.convert(v1, 'autoscaling/v2')).toEqual({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web' },
      spec: {
        scaleTargetRef,
        maxReplicas: 3,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
        ],
      },
    });
  });
});
