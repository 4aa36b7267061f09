import { none, unknown, unset } from '../../columns/cell-text.js';
import { age, name, tablePrinter, text } from '../../columns/table-printer.js';
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../generated/types/autoscaling-v2.js';

export const horizontalPodAutoscalerPrinter = tablePrinter<HorizontalPodAutoscaler>([
  name,
  text('Reference', 'What it scales.', ({ spec }) => `${spec?.scaleTargetRef.kind}/${spec?.scaleTargetRef.name}`),
  text('Targets', 'Each metric as it is and as it should be.', targets),
  text('MinPods', 'The smallest number of pods.', ({ spec }) => String(spec?.minReplicas ?? unset)),
  text('MaxPods', 'The largest number of pods.', ({ spec }) => spec?.maxReplicas ?? 0),
  text('Replicas', 'How many pods there are.', ({ status }) => status?.currentReplicas ?? 0),
  age,
]);

const shownMetrics = 2;

function targets({ spec, status }: HorizontalPodAutoscaler): string {
  const metrics = spec?.metrics ?? [];
  if (metrics.length === 0) return none;
  const shown = metrics
    .slice(0, shownMetrics)
    .map((metric, index) => formatMetric(metric, status?.currentMetrics?.[index]));
  const rest = metrics.length - shownMetrics;
  return shown.join(', ') + (rest > 0 ? ` + ${rest} more...` : '');
}

function formatMetric(metric: MetricSpec, status: MetricStatus | undefined): string {
  const { resource, containerResource, pods, object, external } = metric;
  const ofResource = resource ?? containerResource;
  if (ofResource) {
    const current = (resource ? status?.resource : status?.containerResource)?.current;
    return `${ofResource.name}: ${formatUtilization(ofResource.target, current)}`;
  }
  if (pods) return `${status?.pods?.current.averageValue ?? unknown}/${pods.target.averageValue}`;
  const other = object ?? external;
  if (!other) return '<unknown type>';
  return formatValue(other.target, (object ? status?.object : status?.external)?.current);
}

function formatUtilization(target: MetricTarget, current: MetricValueStatus | undefined): string {
  if (target.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue}`;
  const now = current?.averageUtilization === undefined ? unknown : `${current.averageUtilization}%`;
  return `${now}/${target.averageUtilization === undefined ? '<auto>' : `${target.averageUtilization}%`}`;
}

function formatValue(target: MetricTarget, current: MetricValueStatus | undefined): string {
  if (target.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
  return `${current?.value ?? unknown}/${target.value}`;
}
