import type {
  HorizontalPodAutoscaler as AutoscalerV1,
  HorizontalPodAutoscalerSpec as SpecV1,
  HorizontalPodAutoscalerStatus as StatusV1,
} from '../../generated/types/autoscaling-v1.js';
import type {
  HorizontalPodAutoscaler as AutoscalerV2,
  MetricSpec,
  MetricStatus,
  HorizontalPodAutoscalerSpec as SpecV2,
  HorizontalPodAutoscalerStatus as StatusV2,
} from '../../generated/types/autoscaling-v2.js';

/** What autoscaling/v1 has no fields for travels in these annotations, as JSON. */
const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics';
const currentMetricsAnnotation = 'autoscaling.alpha.kubernetes.io/current-metrics';
const conditionsAnnotation = 'autoscaling.alpha.kubernetes.io/conditions';
const behaviorAnnotation = 'autoscaling.alpha.kubernetes.io/behavior';

/** Whether metrics other than the use of cpu are asked for. */
export function hasOtherMetrics({ metadata }: AutoscalerV1): boolean {
  return metadata.annotations?.[metricsAnnotation] !== undefined;
}

/** Version 1 knows of one metric, the use of cpu; the rest is in annotations. */
export function autoscalerV1ToV2(autoscaler: AutoscalerV1): AutoscalerV2 {
  const { targetCPUUtilizationPercentage: cpu, ...spec } = autoscaler.spec ?? ({} as SpecV1);
  const { annotations, ...metadata } = autoscaler.metadata;
  const read = <T>(key: string): T | undefined => parseJson<T>(annotations?.[key]);
  const metrics = [...(cpu === undefined ? [] : [cpuMetric(cpu)]), ...(read<MetricSpec[]>(metricsAnnotation) ?? [])];
  const behavior = read<SpecV2['behavior']>(behaviorAnnotation);
  const others = withoutOwnAnnotations(annotations);
  return {
    ...autoscaler,
    apiVersion: 'autoscaling/v2',
    metadata: { ...metadata, ...(others && { annotations: others }) },
    spec: { ...spec, ...(metrics.length > 0 && { metrics }), ...(behavior && { behavior }) },
    status: statusToV2(autoscaler.status, {
      conditions: read<StatusV2['conditions']>(conditionsAnnotation),
      currentMetrics: read<MetricStatus[]>(currentMetricsAnnotation),
    }),
  };
}

export function autoscalerV2ToV1(autoscaler: AutoscalerV2): AutoscalerV1 {
  const { metrics = [], behavior, ...spec } = autoscaler.spec ?? ({} as SpecV2);
  const index = metrics.findIndex(isCpuUtilization);
  const cpu = metrics[index]?.resource?.target.averageUtilization;
  const rest = metrics.filter((_, at) => at !== index);
  const { status, ...autoscalerRest } = autoscaler;
  const ownMetrics = status?.currentMetrics ?? [];
  const annotations = {
    ...autoscaler.metadata.annotations,
    ...jsonEntry(metricsAnnotation, rest.length > 0 && rest),
    ...jsonEntry(behaviorAnnotation, behavior),
    ...jsonEntry(conditionsAnnotation, status?.conditions?.length && status.conditions),
    ...jsonEntry(currentMetricsAnnotation, ownMetrics.length > 0 && ownMetrics.filter((one) => !isCpuStatus(one))),
  };
  const hasAnnotations = autoscaler.metadata.annotations !== undefined || Object.keys(annotations).length > 0;
  return {
    ...autoscalerRest,
    apiVersion: 'autoscaling/v1',
    metadata: { ...autoscaler.metadata, ...(hasAnnotations && { annotations }) },
    spec: { ...spec, ...(cpu !== undefined && { targetCPUUtilizationPercentage: cpu }) },
    ...(status && { status: statusToV1(status) }),
  };
}

function cpuMetric(averageUtilization: number): MetricSpec {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function isCpuUtilization({ type, resource }: MetricSpec): boolean {
  return type === 'Resource' && resource?.name === 'cpu' && resource.target.averageUtilization !== undefined;
}

function isCpuStatus({ type, resource }: MetricStatus): boolean {
  return type === 'Resource' && resource?.name === 'cpu' && resource.current.averageUtilization !== undefined;
}

function statusToV2(
  status: StatusV1 | undefined,
  hidden: Partial<Record<'conditions' | 'currentMetrics', unknown>>,
): StatusV2 {
  const { currentCPUUtilizationPercentage: cpu, ...rest } = status ?? { currentReplicas: 0, desiredReplicas: 0 };
  const current: MetricStatus[] = [
    ...(cpu === undefined
      ? []
      : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: cpu } } }]),
    ...((hidden.currentMetrics as MetricStatus[] | undefined) ?? []),
  ];
  const conditions = hidden.conditions as StatusV2['conditions'] | undefined;
  return {
    ...rest,
    ...(conditions && { conditions }),
    // Written as null when empty, which the type does not say.
    currentMetrics: (current.length > 0 ? current : null) as MetricStatus[],
  };
}

function statusToV1({ conditions: _, currentMetrics, currentReplicas = 0, ...rest }: StatusV2): StatusV1 {
  const cpu = currentMetrics?.find(isCpuStatus)?.resource?.current.averageUtilization;
  return { ...rest, currentReplicas, ...(cpu !== undefined && { currentCPUUtilizationPercentage: cpu }) };
}

function withoutOwnAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
): Record<string, string> | undefined {
  if (!annotations) return undefined;
  const own = [metricsAnnotation, currentMetricsAnnotation, conditionsAnnotation, behaviorAnnotation];
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !own.includes(key)));
}

function jsonEntry(key: string, value: unknown): Record<string, string> {
  return value ? { [key]: JSON.stringify(value) } : {};
}

/** Annotations are free text: what cannot be read is dropped. */
function parseJson<T>(text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
