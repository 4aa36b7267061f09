import { formatFieldError } from '@coracle/apimachinery';
import { describe, expect, it } from 'vitest';
import type { PodDisruptionBudgetSpec } from '../../generated/types/policy-v1.js';
import { validatePodDisruptionBudget } from './pod-disruption-budget.validation.js';

describe('validation of a disruption budget', () => {
  it.each<{ name: string; spec: PodDisruptionBudgetSpec; errors: string[] }>([
    { name: 'may be empty', spec: {}, errors: [] },
    { name: 'takes counts and shares', spec: { minAvailable: '50%' }, errors: [] },
    {
      name: 'counts what stays or what goes',
      spec: { minAvailable: 1, maxUnavailable: '20%' },
      errors: [
        'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":"20%","UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
      ],
    },
    {
      name: 'keeps no more than all',
      spec: { minAvailable: '101%' },
      errors: ['spec.minAvailable: Invalid value: "101%": must not be greater than 100%'],
    },
    {
      name: 'knows two policies',
      spec: { unhealthyPodEvictionPolicy: 'x' },
      errors: [
        'spec.unhealthyPodEvictionPolicy: Unsupported value: "x": supported values: "AlwaysAllow", "IfHealthyBudget"',
      ],
    },
  ])('$name', ({ spec, errors }) => {
    expect(validatePodDisruptionBudget({ metadata: {}, spec }).map(formatFieldError)).toEqual(errors);
  });
});
