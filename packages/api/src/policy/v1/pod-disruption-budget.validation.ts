import { type FieldError, FieldPath, invalidField, validateLabelSelector } from '@coracle/apimachinery';
import { podTypes } from '../../core/v1/pod.internal-form.js';
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '../../generated/types/policy-v1.js';
import { checkConditions } from '../../validation/conditions.js';
import { checkNonNegative, checkSupported } from '../../validation/field-checks.js';
import { checkAtMost100Percent, checkIntOrPercent } from '../../validation/int-or-percent.js';
import { toInternalForm } from '../../validation/internal-form.js';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');

const budgetTypes = {
  LabelSelector: podTypes['LabelSelector'] ?? '',
  LabelSelectorRequirement: podTypes['LabelSelectorRequirement'] ?? '',
  PodDisruptionBudgetSpec: 'MinAvailable Selector:*LabelSelector MaxUnavailable UnhealthyPodEvictionPolicy',
};

export function validatePodDisruptionBudget({ spec = {} }: PodDisruptionBudget): FieldError[] {
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
  const errors = validateOneBound(spec);
  for (const [field, value] of Object.entries({ minAvailable, maxUnavailable })) {
    if (value === undefined) continue;
    errors.push(
      ...checkIntOrPercent(specPath.child(field), value),
      ...checkAtMost100Percent(specPath.child(field), value),
    );
  }
  errors.push(...validateLabelSelector(spec.selector, specPath.child('selector')));
  if (policy === undefined) return errors;
  const policyPath = specPath.child('unhealthyPodEvictionPolicy');
  return [...errors, ...checkSupported(policyPath, policy, ['AlwaysAllow', 'IfHealthyBudget'])];
}

/** A budget has either minAvailable or maxUnavailable. */
function validateOneBound(spec: PodDisruptionBudgetSpec): FieldError[] {
  if (spec.minAvailable === undefined || spec.maxUnavailable === undefined) return [];
  const shown = toInternalForm(spec, 'PodDisruptionBudgetSpec', budgetTypes);
  return [invalidField(specPath, shown, 'minAvailable and maxUnavailable cannot be both set')];
}

export function validatePodDisruptionBudgetStatusUpdate({ status }: PodDisruptionBudget): FieldError[] {
  const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods, conditions } = status ?? {};
  const counts = { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods };
  return [
    ...checkConditions(statusPath.child('conditions'), conditions),
    ...Object.entries(counts).flatMap(([field, count]) => checkNonNegative(statusPath.child(field), count)),
  ];
}
