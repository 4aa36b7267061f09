import type { autoscalingv2, Pod } from '@coracle/api';
import { type LabelSelector, parseQuantity, Quantity, type ResourceInfo } from '@coracle/apimachinery';
import { type Millis, messageOf } from '@coracle/base';
import { groupPods, type ReadinessSettings } from './group-pods.js';
import type { SampledPods } from './metric-samples.js';
import type { MetricsClient } from './metrics-client.js';
import { podRequests } from './pod-requests.js';
import {
  averageRatio,
  countReplicas,
  isTolerable,
  type ReplicaCount,
  requireSamples,
  type Tolerances,
  utilizationRatio,
} from './replica-count.js';

export interface MetricContext {
  readonly namespace: string;
  /** The selector of the target's scale, as text and parsed. */
  readonly selectorText: string;
  readonly selector: LabelSelector;
  /** Those that the selector matches. */
  readonly pods: readonly Pod[];
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly tolerances: Tolerances;
  readonly metrics: MetricsClient;
  readonly settings: ReadinessSettings;
  readonly now: Millis;
  /** Finds the resource of a kind; fails if it is not served. */
  readonly resourceOf: (reference: autoscalingv2.CrossVersionObjectReference) => Promise<ResourceInfo>;
}

/** The recommendation of one metric. */
export interface Proposal {
  readonly replicas: number;
  /** As in events: `cpu resource utilization (percentage of request)`. */
  readonly metric: string;
  readonly status: autoscalingv2.MetricStatus;
}

/**
 * Why a metric is not available: `reason` and `cause` for the condition, the message for the summary of all metrics.
 */
export class MetricError extends Error {
  override readonly name: string = 'MetricError';
  readonly reason: string;
  readonly detail: string;

  constructor(reason: string, { detail, message }: { readonly detail: string; readonly message: string }) {
    super(message);
    this.reason = reason;
    this.detail = detail;
  }
}

/** Evaluates one metric of an autoscaler. Fails with a `MetricError`. */
export async function evaluateMetric(spec: autoscalingv2.MetricSpec, context: MetricContext): Promise<Proposal> {
  switch (spec.type) {
    case 'Resource': {
      const name = spec.resource?.name ?? '';
      return failing(`FailedGetResourceMetric`, `failed to get ${name} resource metric value: `, () =>
        evaluateResource({ name, container: undefined, target: spec.resource?.target }, context),
      );
    }
    case 'ContainerResource': {
      const { name = '', container = '', target } = spec.containerResource ?? {};
      return failing('FailedGetContainerResourceMetric', `failed to get ${container} container metric value: `, () =>
        evaluateResource({ name, container, target }, context),
      );
    }
    case 'Pods':
      return failing('FailedGetPodsMetric', 'failed to get pods metric value: ', () => evaluatePods(spec, context));
    case 'Object': {
      const { metric, target } = spec.object ?? {};
      const kind = target?.averageValue ? `failed to get ${metric?.name} object metric: ` : '';
      return failing('FailedGetObjectMetric', `failed to get object metric value: ${kind}`, () =>
        evaluateObject(spec, context),
      );
    }
    case 'External': {
      const name = spec.external?.metric.name ?? '';
      const kind = spec.external?.target.averageValue ? `${name} external metric` : `external metric ${name}`;
      return failing(
        'FailedGetExternalMetric',
        `failed to get ${name} external metric value: failed to get ${kind}: `,
        () => evaluateExternal(spec, context),
      );
    }
    default: {
      const message = `unknown metric source type "${spec.type}"`;
      throw new MetricError('InvalidMetricSourceType', { detail: message, message });
    }
  }
}

async function failing(reason: string, prefix: string, evaluate: () => Promise<Proposal>): Promise<Proposal> {
  try {
    return await evaluate();
  } catch (error) {
    const detail = messageOf(error);
    throw new MetricError(reason, { detail, message: prefix + detail });
  }
}

const noPods = 'no pods returned by selector while calculating replica count';

interface ResourceMetric {
  readonly name: string;
  readonly container: string | undefined;
  readonly target: autoscalingv2.MetricTarget | undefined;
}

async function evaluateResource(metric: ResourceMetric, context: MetricContext): Promise<Proposal> {
  const { name, container, target = { type: '' } } = metric;
  const isAverage = target.averageValue !== undefined;
  const label = container === undefined || isAverage ? `${name} resource` : `${name} container resource`;
  try {
    const count = await countByResource(metric, context);
    const current = {
      ...(count.utilization !== undefined && { averageUtilization: count.utilization }),
      averageValue: milliText(count.average),
    };
    const status: autoscalingv2.MetricStatus =
      container === undefined
        ? { type: 'Resource', resource: { name, current } }
        : { type: 'ContainerResource', containerResource: { name, container, current } };
    const unit = isAverage ? '' : ' utilization (percentage of request)';
    return { replicas: count.replicas, metric: label + unit, status };
  } catch (error) {
    throw new Error(`failed to get ${name} ${isAverage ? 'usage' : 'utilization'}: ${messageOf(error)}`);
  }
}

async function countByResource(
  { name, container, target }: ResourceMetric,
  context: MetricContext,
): Promise<ReplicaCount> {
  const { namespace, selectorText, pods } = context;
  const sampled = await context.metrics
    .resource({ namespace, selector: selectorText, resource: name, container })
    .catch((error: unknown) => {
      throw new Error(`unable to get metrics for resource ${name}: ${messageOf(error)}`);
    });
  if (target?.averageValue !== undefined) {
    return countByAverage(
      sampled,
      { resource: name, target: parseQuantity(target.averageValue).milliValue() },
      context,
    );
  }
  if (target?.averageUtilization === undefined)
    throw new Error(
      'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
    );
  if (pods.length === 0) throw new Error(noPods);
  const percent = target.averageUtilization;
  const input = countInput(sampled, name, context);
  requireSamples(input);
  const requests = podRequests(pods, name, container);
  return countReplicas({
    ...input,
    ratioOf: utilizationRatio(percent, requests),
    assumed: (pod) => Math.trunc(((requests.get(pod) ?? 0) * Math.max(100, percent)) / 100),
  });
}

function countByAverage(
  sampled: SampledPods,
  { resource, target }: { readonly resource: string; readonly target: number },
  context: MetricContext,
): ReplicaCount {
  if (context.pods.length === 0) throw new Error(noPods);
  return countReplicas({
    ...countInput(sampled, resource, context),
    ratioOf: averageRatio(target),
    assumed: () => target,
  });
}

function countInput(
  { samples }: SampledPods,
  resource: string,
  { pods, specReplicas, tolerances, ...context }: MetricContext,
) {
  return { current: specReplicas, samples, tolerances, groups: groupPods(pods, samples, { ...context, resource }) };
}

async function evaluatePods({ pods }: autoscalingv2.MetricSpec, context: MetricContext): Promise<Proposal> {
  const { name = '', selector: metricSelector } = pods?.metric ?? {};
  const { namespace, selectorText: selector } = context;
  const sampled = await context.metrics.pods({ namespace, selector, name, metricSelector }).catch((error: unknown) => {
    throw new Error(`unable to get metric ${name}: ${messageOf(error)}`);
  });
  const target = parseQuantity(pods?.target.averageValue ?? '0').milliValue();
  const { replicas, average } = countByAverage(sampled, { resource: '', target }, context);
  const current = { averageValue: milliText(average) };
  return {
    replicas,
    metric: `pods metric ${name}`,
    status: { type: 'Pods', pods: { metric: pods?.metric ?? { name }, current } },
  };
}

async function evaluateObject({ object }: autoscalingv2.MetricSpec, context: MetricContext): Promise<Proposal> {
  const { metric, target, describedObject } = object ?? {
    metric: { name: '' },
    target: { type: '' },
    describedObject: { kind: '', name: '' },
  };
  const { namespace } = context;
  const { value } = await context.metrics
    .object({
      namespace,
      target: () => context.resourceOf(describedObject),
      objectName: describedObject.name,
      name: metric.name,
      metricSelector: metric.selector,
    })
    .catch((error: unknown) => {
      const { kind, name } = describedObject;
      throw new Error(`unable to get metric ${metric.name}: ${kind} on ${namespace} ${name}/${messageOf(error)}`);
    });
  const { replicas, current } = countByValue(value, target, context);
  // Upstream reports a per-pod value without the object, and calls it external.
  if (target.averageValue !== undefined) {
    const object = { describedObject: { kind: '', name: '' }, metric, current };
    return { replicas, metric: externalLabel(metric), status: { type: 'Object', object } };
  }
  const label = `${describedObject.kind} metric ${metric.name}`;
  return { replicas, metric: label, status: { type: 'Object', object: { describedObject, metric, current } } };
}

async function evaluateExternal({ external }: autoscalingv2.MetricSpec, context: MetricContext): Promise<Proposal> {
  const { metric, target } = external ?? { metric: { name: '' }, target: { type: '' } };
  const { namespace } = context;
  const { value } = await context.metrics
    .external({ namespace, name: metric.name, metricSelector: metric.selector })
    .catch((error: unknown) => {
      const text = `${namespace}/${metric.name}/${goSelector(metric.selector)}`;
      throw new Error(`unable to get external metric ${text}: ${messageOf(error)}`);
    });
  const { replicas, current } = countByValue(value, target, context);
  return { replicas, metric: externalLabel(metric), status: { type: 'External', external: { metric, current } } };
}

/** For a Value target: compared directly, for an AverageValue target divided by the current replicas. */
function countByValue(
  value: number,
  target: autoscalingv2.MetricTarget,
  { specReplicas, statusReplicas, tolerances, pods }: MetricContext,
): { readonly replicas: number; readonly current: autoscalingv2.MetricValueStatus } {
  if (target.averageValue !== undefined) {
    const each = parseQuantity(target.averageValue).milliValue();
    const isFine = isTolerable(value / (each * statusReplicas), tolerances);
    const average = statusReplicas === 0 ? 0 : Math.ceil(value / statusReplicas);
    return {
      replicas: isFine ? statusReplicas : Math.ceil(value / each),
      current: { averageValue: milliText(average) },
    };
  }
  const ratio = value / parseQuantity(target.value ?? '0').milliValue();
  const current = { value: milliText(value) };
  if (specReplicas === 0) return { replicas: Math.ceil(ratio), current };
  if (isTolerable(ratio, tolerances)) return { replicas: specReplicas, current };
  return { replicas: Math.ceil(ratio * readyCount(pods)), current };
}

/** Fails if there are no pods: a target whose pods are not created yet must not be scaled down. */
function readyCount(pods: readonly Pod[]): number {
  if (pods.length === 0) throw new Error(`unable to calculate ready pods: ${noPods}`);
  const isReady = ({ status }: Pod) =>
    status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True');
  return pods.filter((pod) => pod.status?.phase === 'Running' && isReady(pod)).length;
}

function milliText(value: number): string {
  return Quantity.ofMilli(Math.trunc(value)).toString();
}

function externalLabel({ name, selector }: autoscalingv2.MetricIdentifier): string {
  return `external metric ${name}(${goSelector(selector)})`;
}

/** As upstream prints a selector in its messages. */
function goSelector(selector: autoscalingv2.MetricIdentifier['selector']): string {
  if (!selector) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}: ${value},`);
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
