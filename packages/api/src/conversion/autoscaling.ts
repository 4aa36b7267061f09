import type { ConvertibleKind } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import { metricFromV1, metricToV1, statusFromV1, statusToV1 } from './autoscaling-metrics.js';

type Fields = Record<string, unknown>;

/** Where autoscaling/v1 keeps what it has no fields for, as JSON. */
const annotation = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
} as const;

/** autoscaling/v1 has CPU utilization only; a round trip loses nothing. */
export const autoscalerConversion: ConvertibleKind = {
  kind: 'HorizontalPodAutoscaler',
  hub: 'autoscaling/v2',
  spokes: [{ apiVersion: 'autoscaling/v1', toHub: fromV1, fromHub: toV1 }],
};

function fromV1(autoscaler: Fields): Fields {
  const { targetCPUUtilizationPercentage: target, ...spec } = fieldsOf(autoscaler['spec']);
  const { currentCPUUtilizationPercentage: current, ...status } = fieldsOf(autoscaler['status']);
  const metadata = fieldsOf(autoscaler['metadata']);
  const annotations = { ...fieldsOf(metadata['annotations']) };
  const take = (name: string) => takeJson(annotations, name);

  const metrics = [...cpuTarget(target), ...listOf(take(annotation.metrics)).map(metricFromV1)];
  const saved = listOf(take(annotation.currentMetrics)).map(statusFromV1);
  const currentMetrics = saved.length > 0 ? saved : cpuCurrent(current);
  const conditions = listOf(take(annotation.conditions));
  const behavior = take(annotation.behavior);
  return {
    ...autoscaler,
    metadata: withAnnotations(metadata, annotations),
    spec: { ...spec, ...(metrics.length > 0 && { metrics }), ...(isRecord(behavior) && { behavior }) },
    ...(autoscaler['status'] !== undefined && {
      status: {
        ...status,
        ...(currentMetrics.length > 0 && { currentMetrics }),
        ...(conditions.length > 0 && { conditions }),
      },
    }),
  };
}

function toV1(autoscaler: Fields): Fields {
  const { metrics, behavior, ...spec } = fieldsOf(autoscaler['spec']);
  const { currentMetrics, conditions, ...status } = fieldsOf(autoscaler['status']);
  const metadata = fieldsOf(autoscaler['metadata']);
  const all = listOf(metrics);
  const cpu = all.find((metric) => cpuUtilization(metric, 'target') !== undefined);
  const target = cpu && cpuUtilization(cpu, 'target');
  const current = listOf(currentMetrics)
    .map((metric) => cpuUtilization(metric, 'current'))
    .find((found) => found !== undefined);
  const others = all.filter((metric) => metric !== cpu).map(metricToV1);
  const annotations = {
    ...fieldsOf(metadata['annotations']),
    ...asJson(annotation.metrics, others),
    ...asJson(annotation.currentMetrics, listOf(currentMetrics).map(statusToV1)),
    ...asJson(annotation.conditions, listOf(conditions)),
    ...(isRecord(behavior) && { [annotation.behavior]: JSON.stringify(behavior) }),
  };
  return {
    ...autoscaler,
    metadata: withAnnotations(metadata, annotations),
    spec: { ...spec, ...(target !== undefined && { targetCPUUtilizationPercentage: target }) },
    ...(autoscaler['status'] !== undefined && {
      status: { ...status, ...(current !== undefined && { currentCPUUtilizationPercentage: current }) },
    }),
  };
}

function cpuTarget(averageUtilization: unknown): Fields[] {
  if (averageUtilization === undefined) return [];
  return [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } }];
}

function cpuCurrent(averageUtilization: unknown): Fields[] {
  return averageUtilization === undefined
    ? []
    : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization } } }];
}

/** The use of CPU that a metric requests or reports, in percent. */
function cpuUtilization(metric: Fields, part: 'target' | 'current'): unknown {
  const resource = fieldsOf(metric['resource']);
  if (metric['type'] !== 'Resource' || resource['name'] !== 'cpu') return undefined;
  return fieldsOf(resource[part])['averageUtilization'];
}

function takeJson(annotations: Fields, name: string): unknown {
  const text = annotations[name];
  if (typeof text !== 'string') return undefined;
  delete annotations[name];
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asJson(name: string, list: readonly unknown[]): Fields {
  return list.length > 0 ? { [name]: JSON.stringify(list) } : {};
}

function withAnnotations(metadata: Fields, annotations: Fields): Fields {
  const { annotations: _, ...rest } = metadata;
  return Object.keys(annotations).length > 0 ? { ...rest, annotations } : rest;
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
