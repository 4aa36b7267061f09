import { type FieldError, FieldPath, invalidField, requiredField } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type {
  ResourceQuota,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from '../../generated/types/core-v1.js';
import { immutable } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';
import { checkQuotaResourceName, isStandardQuotaResource } from '../../validation/resource-names.js';
import { checkResourceQuantity } from '../../validation/resource-quantity.js';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');

export function validateResourceQuota(quota: ResourceQuota): FieldError[] {
  return [...checkSpec(quota.spec ?? {}), ...checkStatus(quota)];
}

/** Scopes say what is counted: a quota with others would be another quota. */
export function validateResourceQuotaUpdate(quota: ResourceQuota, previous: ResourceQuota): FieldError[] {
  const scopes = quota.spec?.scopes ?? [];
  const same = deepEqual([...new Set(scopes)].sort(), [...new Set(previous.spec?.scopes ?? [])].sort());
  const errors = checkSpec(quota.spec ?? {});
  return same ? errors : [...errors, invalidField(specPath.child('scopes'), quota.spec?.scopes, immutable)];
}

export function validateResourceQuotaStatusUpdate(quota: ResourceQuota): FieldError[] {
  return checkStatus(quota);
}

function checkStatus({ status = {} }: ResourceQuota): FieldError[] {
  return [
    ...checkResources(statusPath.child('hard'), status.hard),
    ...checkResources(statusPath.child('used'), status.used),
  ];
}

function checkResources(path: FieldPath, resources: Readonly<Record<string, string>> = {}): FieldError[] {
  return Object.entries(resources).flatMap(([name, quantity]) => [
    ...checkQuotaResourceName(path.key(name), name),
    ...checkResourceQuantity(path.key(name), name, quantity),
  ]);
}

function checkSpec(spec: ResourceQuotaSpec): FieldError[] {
  return [...checkResources(specPath.child('hard'), spec.hard), ...checkScopes(spec), ...checkScopeSelector(spec)];
}

const scopesThatExist: ReadonlySet<string> = new Set([
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'CrossNamespacePodAffinity',
]);
const standardScopes: ReadonlySet<string> = new Set([...scopesThatExist, 'PriorityClass', 'VolumeAttributesClass']);
const opposites: readonly (readonly [string, string])[] = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];

const podResources: ReadonlySet<string> = new Set([
  'pods',
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
]);
const claimResources: ReadonlySet<string> = new Set(['persistentvolumeclaims', 'requests.storage']);

/** Whether a scope distinguishes objects that use the resource. */
function scopeFits(scope: string, resource: string): boolean {
  switch (scope) {
    case 'Terminating':
    case 'NotTerminating':
    case 'NotBestEffort':
    case 'PriorityClass':
    case 'CrossNamespacePodAffinity':
      return podResources.has(resource);
    case 'BestEffort':
      return resource === 'pods';
    case 'VolumeAttributesClass':
      return claimResources.has(resource);
    default:
      return true;
  }
}

function misfits(scope: string, hard: Readonly<Record<string, string>> = {}): string[] {
  return Object.keys(hard).filter((name) => isStandardQuotaResource(name) && !scopeFits(scope, name));
}

function checkScopes({ scopes = [], hard }: ResourceQuotaSpec): FieldError[] {
  const path = specPath.child('scopes');
  const errors = scopes.flatMap((scope) => [
    ...(standardScopes.has(scope) ? [] : [invalidField(path, scopes, 'unsupported scope')]),
    ...misfits(scope, hard).map(() => invalidField(path, scopes, 'unsupported scope applied to resource')),
  ]);
  return [...errors, ...checkOpposites(path, new Set(scopes), scopes)];
}

function checkScopeSelector({ scopeSelector, scopes, hard }: ResourceQuotaSpec): FieldError[] {
  if (!scopeSelector) return [];
  const path = specPath.child('scopeSelector', 'matchExpressions');
  const expressions = scopeSelector.matchExpressions ?? [];
  const errors = expressions.flatMap((expression) => {
    const shown = () => goValue('core-v1/ScopeSelector', scopeSelector);
    return [
      ...(standardScopes.has(expression.scopeName)
        ? []
        : [invalidField(path.child('scopeName'), expression.scopeName, 'unsupported scope')]),
      ...misfits(expression.scopeName, hard).map(() =>
        invalidField(path, shown(), 'unsupported scope applied to resource'),
      ),
      ...checkExpression(path, expression),
    ];
  });
  return [...errors, ...checkOpposites(path, new Set(expressions.map((one) => one.scopeName)), scopes)];
}

function checkExpression(path: FieldPath, expression: ScopedResourceSelectorRequirement): FieldError[] {
  const { scopeName, operator, values = [] } = expression;
  const errors: FieldError[] = [];
  if (scopesThatExist.has(scopeName) && operator !== 'Exists') {
    const detail =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
    errors.push(invalidField(path.child('operator'), operator, detail));
  }
  return [...errors, ...checkOperator(path, operator, values)];
}

function checkOperator(path: FieldPath, operator: string, values: readonly string[]): FieldError[] {
  if (operator === 'In' || operator === 'NotIn') {
    const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    return values.length === 0 ? [requiredField(path.child('values'), detail)] : [];
  }
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    return values.length > 0 ? [invalidField(path.child('values'), values, detail)] : [];
  }
  return [invalidField(path.child('operator'), operator, 'not a valid selector operator')];
}

function checkOpposites(path: FieldPath, scopes: ReadonlySet<string>, shown: unknown): FieldError[] {
  return opposites
    .filter(([one, other]) => scopes.has(one) && scopes.has(other))
    .map(() => invalidField(path, shown, 'conflicting scopes'));
}
