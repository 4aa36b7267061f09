import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  isDns1123Label,
  isPathSegmentName,
  notSupportedField,
  parseQuantity,
  requiredField,
} from '@coracle/apimachinery';
import type {
  HorizontalPodAutoscalerSpec,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
} from '../../generated/types/autoscaling-v2.js';
import { checkRequiredValue, checkValue } from '../../validation/field-checks.js';
import { validateObjectReference } from './object-reference.validation.js';

const metricTypes = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];

export function validateMetrics(
  path: FieldPath,
  { metrics = [], minReplicas }: HorizontalPodAutoscalerSpec,
): FieldError[] {
  const errors = metrics.flatMap((metric, index) => validateMetric(path.index(index), metric));
  const canReturn = metrics.some(({ type }) => type === 'Object' || type === 'External');
  if (minReplicas !== 0 || canReturn) return errors;
  const problem = 'must specify at least one Object or External metric to support scaling to zero replicas';
  return [...errors, forbiddenField(path, problem)];
}

type Source = 'object' | 'external' | 'pods' | 'resource' | 'containerResource';

/** In the order in which they are looked at: only the first that is given is validated. */
const sources: readonly [Source, (path: FieldPath, metric: MetricSpec) => FieldError[]][] = [
  ['object', validateObjectSource],
  ['external', validateExternalSource],
  ['pods', validatePodsSource],
  ['resource', (path, { resource }) => validateResourceSource(path, resource?.name, resource?.target)],
  ['containerResource', validateContainerSource],
];

function validateMetric(path: FieldPath, metric: MetricSpec): FieldError[] {
  const { type = '' } = metric;
  const typePath = path.child('type');
  const errors: FieldError[] = [];
  if (type === '') errors.push(requiredField(typePath, 'must specify a metric source type'));
  if (!metricTypes.includes(type)) errors.push(notSupportedField(typePath, type, metricTypes));
  const setSources = sources.filter(([source]) => metric[source] !== undefined);
  const [first] = setSources;
  if (first) errors.push(...first[1](path.child(first[0]), metric));
  const expected = metricTypes.includes(type) ? type.slice(0, 1).toLowerCase() + type.slice(1) : undefined;
  if (expected === undefined) errors.push(notSupportedField(typePath, type, metricTypes));
  else if (metric[expected as Source] === undefined) {
    errors.push(requiredField(path.child(expected), 'must populate information for the given metric source'));
  }
  if (setSources.length === 1) return errors;
  const others = setSources.filter(([source]) => source !== expected);
  return [
    ...errors,
    ...others.map(([source]) => forbiddenField(path.child(source), 'must populate the given metric source only')),
  ];
}

function validateObjectSource(path: FieldPath, { object }: MetricSpec): FieldError[] {
  const { value, averageValue } = object?.target ?? {};
  return [
    ...validateObjectReference(path.child('describedObject'), object?.describedObject),
    ...validateIdentifier(path.child('metric'), object?.metric),
    ...validateTarget(path.child('target'), object?.target),
    ...(value === undefined && averageValue === undefined
      ? [requiredField(path.child('target', 'averageValue'), 'must set either a target value or averageValue')]
      : []),
  ];
}

function validateExternalSource(path: FieldPath, { external }: MetricSpec): FieldError[] {
  const { value, averageValue } = external?.target ?? {};
  const errors = [
    ...validateIdentifier(path.child('metric'), external?.metric),
    ...validateTarget(path.child('target'), external?.target),
  ];
  if (value === undefined && averageValue === undefined) {
    const problem = 'must set either a target value for metric or a per-pod target';
    errors.push(requiredField(path.child('target', 'averageValue'), problem));
  }
  if (value === undefined || averageValue === undefined) return errors;
  const problem = 'may not set both a target value for metric and a per-pod target';
  return [...errors, forbiddenField(path.child('target', 'value'), problem)];
}

function validatePodsSource(path: FieldPath, { pods }: MetricSpec): FieldError[] {
  const { averageValue } = pods?.target ?? {};
  const isPositive = averageValue !== undefined && parseQuantity(averageValue).sign > 0;
  return [
    ...validateIdentifier(path.child('metric'), pods?.metric),
    ...validateTarget(path.child('target'), pods?.target),
    ...(isPositive
      ? []
      : [requiredField(path.child('target', 'averageValue'), 'must specify a positive target averageValue')]),
  ];
}

function validateContainerSource(path: FieldPath, { containerResource }: MetricSpec): FieldError[] {
  const { name, container, target } = containerResource ?? {};
  const errors = name ? [] : [requiredField(path.child('name'), 'must specify a resource name')];
  if (container) errors.push(...checkValue(path.child('container'), container, isDns1123Label));
  else errors.push(requiredField(path.child('container'), 'must specify a container'));
  return [...errors, ...validateTarget(path.child('target'), target), ...validateUsage(path.child('target'), target)];
}

function validateResourceSource(
  path: FieldPath,
  name: string | undefined,
  target: MetricTarget | undefined,
): FieldError[] {
  return [
    ...(name ? [] : [requiredField(path.child('name'), 'must specify a resource name')]),
    ...validateTarget(path.child('target'), target),
    ...validateUsage(path.child('target'), target),
  ];
}

/** Use of a resource is measured in its own unit or as a share of what was requested. */
function validateUsage(path: FieldPath, target: MetricTarget | undefined): FieldError[] {
  const { averageUtilization, averageValue } = target ?? {};
  if (averageUtilization === undefined && averageValue === undefined) {
    return [
      requiredField(path.child('averageUtilization'), 'must set either a target raw value or a target utilization'),
    ];
  }
  if (averageUtilization === undefined || averageValue === undefined) return [];
  const problem = 'may not set both a target raw value and a target utilization';
  return [forbiddenField(path.child('averageValue'), problem)];
}

const targetTypes = ['Utilization', 'Value', 'AverageValue'];

function validateTarget(path: FieldPath, target: MetricTarget | undefined): FieldError[] {
  const { type = '', value, averageValue, averageUtilization } = target ?? {};
  const errors: FieldError[] = [];
  if (type === '') errors.push(requiredField(path.child('type'), 'must specify a metric target type'));
  if (!targetTypes.includes(type)) {
    errors.push(invalidField(path.child('type'), type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const [field, quantity] of Object.entries({ value, averageValue })) {
    if (quantity === undefined || parseQuantity(quantity).sign > 0) continue;
    errors.push(invalidField(path.child(field), quantity, 'must be positive'));
  }
  if (averageUtilization === undefined || averageUtilization >= 1) return errors;
  return [...errors, invalidField(path.child('averageUtilization'), averageUtilization, 'must be greater than 0')];
}

function validateIdentifier(path: FieldPath, identifier: MetricIdentifier | undefined): FieldError[] {
  const name = identifier?.name;
  if (!name) return [requiredField(path.child('name'), 'must specify a metric name')];
  return checkRequiredValue(path.child('name'), name, isPathSegmentName);
}
