import type { KubeObject, ObjectMeta } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import type { Conversion } from '../registry/served-resource.js';

/** Where `v1` keeps what it has no fields for. */
const annotations = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
} as const;

type Fields = Record<string, unknown>;

interface Autoscaler extends KubeObject {
  readonly spec?: Fields;
  readonly status?: Fields;
}

/** `autoscaling/v1` knows one metric, the CPU's utilization; the others of `v2` travel as annotations. */
export const horizontalPodAutoscalerConversion: Conversion = {
  toStored: (object) => toV2(object as Autoscaler),
  fromStored: (object) => toV1(object as Autoscaler),
};

function toV2({ metadata, spec = {}, status = {} }: Autoscaler): KubeObject {
  const { targetCPUUtilizationPercentage: cpu, ...plainSpec } = spec;
  const { currentCPUUtilizationPercentage: current, ...plainStatus } = status;
  const metrics = [...readList(metadata, annotations.metrics), ...(cpu === undefined ? [] : [cpuMetric(cpu)])];
  const behavior = readAnnotation(metadata, annotations.behavior);
  const currentMetrics = [
    ...readList(metadata, annotations.currentMetrics),
    ...(current === undefined ? [] : [currentCpu(current)]),
  ];
  const conditions = readList(metadata, annotations.conditions);
  const object = {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2',
    metadata: withoutAnnotations(metadata),
    spec: {
      ...plainSpec,
      ...(metrics.length > 0 && { metrics }),
      ...(behavior !== undefined && { behavior }),
    },
    status: {
      currentMetrics: currentMetrics.length > 0 ? currentMetrics : null,
      ...plainStatus,
      ...(conditions.length > 0 && { conditions }),
    },
  };
  return object;
}

function toV1({ metadata, spec = {}, status = {} }: Autoscaler): KubeObject {
  const { metrics, behavior, ...plainSpec } = spec;
  const { currentMetrics, conditions, ...plainStatus } = status;
  const [cpu, otherMetrics] = takeCpu(metrics, 'target');
  const [current, otherCurrent] = takeCpu(currentMetrics, 'current');
  const notes = {
    ...(otherMetrics.length > 0 && { [annotations.metrics]: JSON.stringify(otherMetrics) }),
    ...(behavior !== undefined && { [annotations.behavior]: JSON.stringify(behavior) }),
    ...(otherCurrent.length > 0 && { [annotations.currentMetrics]: JSON.stringify(otherCurrent) }),
    ...(Array.isArray(conditions) && conditions.length > 0 && { [annotations.conditions]: JSON.stringify(conditions) }),
  };
  const object = {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(metadata, notes),
    spec: { ...plainSpec, ...(cpu !== undefined && { targetCPUUtilizationPercentage: cpu }) },
    status: { ...plainStatus, ...(current !== undefined && { currentCPUUtilizationPercentage: current }) },
  };
  return object;
}

function cpuMetric(averageUtilization: unknown): Fields {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function currentCpu(averageUtilization: unknown): Fields {
  return { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization } } };
}

/** The CPU's utilization, and the metrics that are left. */
function takeCpu(metrics: unknown, field: 'target' | 'current'): [unknown, unknown[]] {
  const list = Array.isArray(metrics) ? metrics : [];
  const utilization = (metric: unknown): unknown => {
    if (!isRecord(metric) || metric.type !== 'Resource' || !isRecord(metric.resource)) return undefined;
    const { name, [field]: value } = metric.resource;
    return name === 'cpu' && isRecord(value) ? value.averageUtilization : undefined;
  };
  const index = list.findIndex((metric) => utilization(metric) !== undefined);
  if (index < 0) return [undefined, list];
  return [utilization(list[index]), list.filter((_, i) => i !== index)];
}

function readAnnotation({ annotations: all }: ObjectMeta, name: string): unknown {
  const text = all?.[name];
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readList(metadata: ObjectMeta, name: string): unknown[] {
  const value = readAnnotation(metadata, name);
  return Array.isArray(value) ? value : [];
}

function withoutAnnotations(metadata: ObjectMeta): ObjectMeta {
  const { annotations: all, ...rest } = metadata;
  const names: readonly string[] = Object.values(annotations);
  const left = Object.entries(all ?? {}).filter(([name]) => !names.includes(name));
  return left.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(left) };
}

function withAnnotations(metadata: ObjectMeta, more: Readonly<Record<string, string>>): ObjectMeta {
  if (Object.keys(more).length === 0) return { ...metadata };
  return { ...metadata, annotations: { ...metadata.annotations, ...more } };
}
