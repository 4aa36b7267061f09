import {
  type FieldError,
  FieldPath,
  invalidField,
  isDns1123Subdomain,
  isPathSegmentName,
  requiredField,
  validateLabelSelector,
} from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from '../../generated/types/rbac-v1.js';
import { checkRequiredValue, checkSupported, checkValue } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';
import { rbacGroup } from './rbac.defaults.js';

export function validateRole(role: Role): FieldError[] {
  return checkRules(role.rules, true);
}

export function validateClusterRole(role: ClusterRole): FieldError[] {
  const { aggregationRule } = role;
  const errors = checkRules(role.rules, false);
  if (!aggregationRule) return errors;
  const path = FieldPath.of('aggregationRule', 'clusterRoleSelectors');
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0) {
    errors.push(requiredField(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  }
  return [...errors, ...selectors.flatMap((selector, index) => checkSelector(path.index(index), selector))];
}

function checkSelector(path: FieldPath, selector: Parameters<typeof validateLabelSelector>[0]): FieldError[] {
  const errors = validateLabelSelector(selector, path);
  return errors.length === 0 ? [] : [...errors, invalidField(path, null, 'invalid label selector.')];
}

function checkRules(rules: readonly PolicyRule[] | undefined, namespaced: boolean): FieldError[] {
  return (rules ?? []).flatMap((rule, index) => checkRule(FieldPath.of('rules').index(index), rule, namespaced));
}

function checkRule(path: FieldPath, rule: PolicyRule, namespaced: boolean): FieldError[] {
  const { verbs, nonResourceURLs = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
  const errors: FieldError[] = [];
  const missing = (field: string, detail: string) => errors.push(requiredField(path.child(field), detail));
  if (!verbs?.length) missing('verbs', 'verbs must contain at least one value');
  if (nonResourceURLs.length > 0) {
    const refuse = (detail: string) => invalidField(path.child('nonResourceURLs'), nonResourceURLs, detail);
    if (namespaced) errors.push(refuse('namespaced rules cannot apply to non-resource URLs'));
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      errors.push(refuse('rules cannot apply to both regular resources and non-resource URLs'));
    }
    return errors;
  }
  if (apiGroups.length === 0) missing('apiGroups', 'resource rules must supply at least one api group');
  if (resources.length === 0) missing('resources', 'resource rules must supply at least one resource');
  return errors;
}

export function validateRoleBinding(binding: RoleBinding): FieldError[] {
  return checkBinding(binding, ['Role', 'ClusterRole']);
}

export function validateClusterRoleBinding(binding: ClusterRoleBinding): FieldError[] {
  return checkBinding(binding, ['ClusterRole']);
}

export function validateRoleBindingUpdate(binding: RoleBinding, previous: RoleBinding): FieldError[] {
  return [...validateRoleBinding(binding), ...checkSameRole(binding, previous)];
}

export function validateClusterRoleBindingUpdate(
  binding: ClusterRoleBinding,
  previous: ClusterRoleBinding,
): FieldError[] {
  return [...validateClusterRoleBinding(binding), ...checkSameRole(binding, previous)];
}

/** Permission to edit a binding was granted for its role; another role needs another binding. */
function checkSameRole(
  { roleRef }: RoleBinding | ClusterRoleBinding,
  previous: RoleBinding | ClusterRoleBinding,
): FieldError[] {
  if (deepEqual(roleRef, previous.roleRef)) return [];
  return [invalidField('roleRef', goValue('rbac-v1/RoleRef', roleRef), 'cannot change roleRef')];
}

function checkBinding(
  { roleRef, subjects = [] }: RoleBinding | ClusterRoleBinding,
  roleKinds: readonly string[],
): FieldError[] {
  const path = FieldPath.of('roleRef');
  const namespaced = roleKinds.includes('Role');
  return [
    ...checkSupported(path.child('apiGroup'), roleRef.apiGroup ?? '', [rbacGroup]),
    ...checkSupported(path.child('kind'), roleRef.kind ?? '', roleKinds),
    ...checkRequiredValue(path.child('name'), roleRef.name, isPathSegmentName),
    ...subjects.flatMap((one, index) => checkSubject(FieldPath.of('subjects').index(index), one, namespaced)),
  ];
}

function checkSubject(path: FieldPath, subject: Subject, namespaced: boolean): FieldError[] {
  const { kind = '', name, apiGroup = '', namespace } = subject;
  const errors = name ? [] : [requiredField(path.child('name'))];
  if (kind === 'User' || kind === 'Group') {
    return [...errors, ...checkSupported(path.child('apiGroup'), apiGroup, [rbacGroup])];
  }
  if (kind !== 'ServiceAccount') {
    return [...errors, ...checkSupported(path.child('kind'), kind, ['ServiceAccount', 'User', 'Group'])];
  }
  if (name) errors.push(...checkValue(path.child('name'), name, isDns1123Subdomain));
  errors.push(...checkSupported(path.child('apiGroup'), apiGroup, ['']));
  if (!namespaced && !namespace) errors.push(requiredField(path.child('namespace')));
  return errors;
}
