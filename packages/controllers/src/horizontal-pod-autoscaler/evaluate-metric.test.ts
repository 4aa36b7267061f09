import type { autoscalingv2, Pod } from '@coracle/api';
import { LabelSelector } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { evaluateMetric, type MetricContext, MetricError } from './evaluate-metric.js';
import type { MetricsClient } from './metrics-client.js';

const at = 0;
const external: autoscalingv2.MetricSpec = {
  type: 'External',
  external: { metric: { name: 'queue' }, target: { type: 'Value', value: '10' } },
};
const object: autoscalingv2.MetricSpec = {
  type: 'Object',
  object: {
    metric: { name: 'hits' },
    target: { type: 'Value', value: '10' },
    describedObject: { kind: 'Service', name: 'web' },
  },
};
const cpu: autoscalingv2.MetricSpec = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
};

/** For a target of four replicas, whose metrics have this value, in thousandths. */
function context(pods: readonly Pod[], value: number): MetricContext {
  const metrics: Partial<MetricsClient> = {
    external: async () => ({ value, at }),
    object: async () => ({ value, at }),
    resource: async () => ({ samples: new Map(), at }),
  };
  return {
    ...{ namespace: 'default', selectorText: '', selector: LabelSelector.everything, pods },
    ...{ specReplicas: 4, statusReplicas: 4, tolerances: { up: 0.1, down: 0.1 }, now: at },
    metrics: metrics as MetricsClient,
    settings: { cpuInitializationMs: 0, initialReadinessDelayMs: 0 },
    resourceOf: () => Promise.reject(new Error('not used')),
  };
}

async function messageOf(spec: autoscalingv2.MetricSpec, pods: readonly Pod[], value: number): Promise<unknown> {
  const error: unknown = await evaluateMetric(spec, context(pods, value)).catch((failure: unknown) => failure);
  return error instanceof MetricError ? error.message : error;
}

describe('a value that the pods share', () => {
  const ready: Pod = {
    metadata: { name: 'p' },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  };

  test.each([external, object])('cannot be used while the target has no pods: $type', async (spec) => {
    expect(await messageOf(spec, [], 5_000)).toContain(
      'unable to calculate ready pods: no pods returned by selector while calculating replica count',
    );
  });

  test('is within the tolerance whether there are pods or not', async () => {
    expect((await evaluateMetric(external, context([], 10_500))).replicas).toBe(4);
  });

  test('counts ready pods only', async () => {
    expect((await evaluateMetric(external, context([ready, ready], 15_000))).replicas).toBe(3);
  });
});

test('pods without samples are reported before pods without requests', async () => {
  const pending: Pod = {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
    status: { phase: 'Pending' },
  };
  expect(await messageOf(cpu, [pending], 0)).toContain(
    'did not receive metrics for targeted pods (pods might be unready)',
  );
});
