import { type FieldError, FieldPath, invalidField, requiredField, scoped } from '@coracle/apimachinery';
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
} from '../../generated/types/autoscaling-v2.js';
import { checkNonNegative, checkSupported } from '../../validation/field-checks.js';
import { checkNonNegativeQuantity } from '../../validation/resource-quantity.js';
import { validateMetrics } from './metric.validation.js';
import { validateObjectReference } from './object-reference.validation.js';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');
const fewestReplicas = 1;

export function validateHorizontalPodAutoscaler(autoscaler: HorizontalPodAutoscaler): FieldError[] {
  const spec = autoscaler.spec ?? ({} as HorizontalPodAutoscalerSpec);
  const targetPath = specPath.child('scaleTargetRef');
  return [
    ...validateReplicas(spec),
    ...validateObjectReference(targetPath, spec.scaleTargetRef),
    ...validateApiVersion(targetPath.child('apiVersion'), spec.scaleTargetRef),
    ...validateMetrics(specPath.child('metrics'), spec),
    ...validateScalingRules(specPath.child('behavior', 'scaleUp'), spec.behavior?.scaleUp),
    ...validateScalingRules(specPath.child('behavior', 'scaleDown'), spec.behavior?.scaleDown),
  ];
}

function validateReplicas({ minReplicas, maxReplicas = 0 }: HorizontalPodAutoscalerSpec): FieldError[] {
  const maxPath = specPath.child('maxReplicas');
  const tooFew = `must be greater than or equal to ${fewestReplicas}`;
  const errors: FieldError[] = [];
  if (minReplicas !== undefined && minReplicas < fewestReplicas) {
    errors.push(...checkNotToZero(specPath.child('minReplicas'), minReplicas, tooFew));
  }
  if (maxReplicas === 0) errors.push(requiredField(maxPath, 'must be set and greater than 0'));
  else if (maxReplicas < fewestReplicas) errors.push(invalidField(maxPath, maxReplicas, tooFew));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.push(invalidField(maxPath, maxReplicas, 'must be greater than or equal to `minReplicas`'));
  }
  return errors;
}

/** 0 requires a feature gate; negative numbers are never valid. */
function checkNotToZero(path: FieldPath, replicas: number, problem: string): FieldError[] {
  const errors = [invalidField(path, replicas, problem)];
  return replicas === 0 ? scoped(errors, { newRule: 'scaling to zero', whileOff: 'HPAScaleToZero' }) : errors;
}

/** What is scaled is found by its group; of the core group only replication controllers can be. */
function validateApiVersion(path: FieldPath, reference: CrossVersionObjectReference | undefined): FieldError[] {
  const { apiVersion = '', kind } = reference ?? {};
  const parts = apiVersion.split('/');
  if (parts.length > 2) return [invalidField(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const hasGroup = parts.length === 2 && parts[0] !== '';
  if (hasGroup || (apiVersion === 'v1' && kind === 'ReplicationController')) return [];
  return [invalidField(path, apiVersion, 'apiVersion must specify API group')];
}

const longestWindow = 3600;
const longestPeriod = 1800;

function validateScalingRules(path: FieldPath, rules: HPAScalingRules | undefined): FieldError[] {
  if (!rules) return [];
  const { stabilizationWindowSeconds: seconds, selectPolicy, tolerance } = rules;
  const policies = rules.policies ?? [];
  const windowPath = path.child('stabilizationWindowSeconds');
  const errors: FieldError[] = [];
  if (seconds !== undefined && seconds < 0) {
    errors.push(invalidField(windowPath, seconds, 'must be greater than or equal to zero'));
  }
  if (seconds !== undefined && seconds > longestWindow) {
    errors.push(invalidField(windowPath, seconds, `must be less than or equal to ${longestWindow}`));
  }
  if (selectPolicy !== undefined) {
    errors.push(...checkSupported(path.child('selectPolicy'), selectPolicy, ['Disabled', 'Max', 'Min']));
  }
  if (policies.length === 0) errors.push(requiredField(path.child('policies'), 'must specify at least one Policy'));
  errors.push(...policies.flatMap((policy, index) => validatePolicy(path.child('policies').index(index), policy)));
  return tolerance === undefined
    ? errors
    : [...errors, ...checkNonNegativeQuantity(path.child('tolerance'), tolerance)];
}

function validatePolicy(path: FieldPath, { type = '', value = 0, periodSeconds = 0 }: HPAScalingPolicy): FieldError[] {
  const periodPath = path.child('periodSeconds');
  return [
    ...checkSupported(path.child('type'), type, ['Percent', 'Pods']),
    ...(value > 0 ? [] : [invalidField(path.child('value'), value, 'must be greater than zero')]),
    ...(periodSeconds > 0 ? [] : [invalidField(periodPath, periodSeconds, 'must be greater than zero')]),
    ...(periodSeconds > longestPeriod
      ? [invalidField(periodPath, periodSeconds, `must be less than or equal to ${longestPeriod}`)]
      : []),
  ];
}

export function validateHorizontalPodAutoscalerStatusUpdate({ status }: HorizontalPodAutoscaler): FieldError[] {
  return [
    ...checkNonNegative(statusPath.child('currentReplicas'), status?.currentReplicas),
    ...checkNonNegative(statusPath.child('desiredReplicas'), status?.desiredReplicas),
  ];
}
