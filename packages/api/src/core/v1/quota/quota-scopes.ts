import type { KubeObject } from '@coracle/apimachinery';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../../../generated/types/core-v1.js';
import type { QuotaEvaluator } from './quota-evaluator.js';

/** Everything that an object must match to come under the quota, in one form. */
export function quotaScopes({ spec }: ResourceQuota): ScopedResourceSelectorRequirement[] {
  const plain = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...plain, ...(spec?.scopeSelector?.matchExpressions ?? [])];
}

export function isInScope(quota: ResourceQuota, evaluator: QuotaEvaluator, object: KubeObject): boolean {
  return quotaScopes(quota).every((scope) => evaluator.matchesScope(scope, object));
}

/** Those of the scopes that an object is in. */
export function matchingScopes(
  scopes: readonly ScopedResourceSelectorRequirement[],
  evaluator: QuotaEvaluator,
  object: KubeObject,
): ScopedResourceSelectorRequirement[] {
  return scopes.filter((scope) => evaluator.matchesScope(scope, object));
}

/** Like a label selector on the one value; an object without it matches where the value must be absent. */
export function matchesValue(
  { operator, values = [] }: ScopedResourceSelectorRequirement,
  value: string | undefined,
): boolean {
  switch (operator) {
    case 'In':
      return !!value && values.includes(value);
    case 'NotIn':
      return !value || !values.includes(value);
    case 'Exists':
      return !!value;
    case 'DoesNotExist':
      return !value;
    default:
      return false;
  }
}
