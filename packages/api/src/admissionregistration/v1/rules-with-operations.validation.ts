import { type FieldError, type FieldPath, invalidField, requiredField } from '@coracle/apimachinery';
import type { RuleWithOperations } from '../../generated/types/admissionregistration-v1.js';
import { checkSupported } from '../../validation/field-checks.js';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];

/** Rules that select the requests of a webhook or policy. */
export function checkRuleWithOperations(path: FieldPath, rule: RuleWithOperations): FieldError[] {
  const ruleOperations = rule.operations ?? [];
  return [
    ...checkList(path.child('operations'), ruleOperations, 'operations'),
    ...ruleOperations.flatMap((one, index) => checkSupported(path.child('operations').index(index), one, operations)),
    ...checkList(path.child('apiGroups'), rule.apiGroups ?? [], 'API groups'),
    ...checkList(path.child('apiVersions'), rule.apiVersions ?? [], 'API versions'),
    ...checkNoEmpty(path.child('apiVersions'), rule.apiVersions ?? []),
    ...checkResources(path.child('resources'), rule.resources ?? []),
    ...(rule.scope === undefined ? [] : checkSupported(path.child('scope'), rule.scope, scopes)),
  ];
}

/** Not empty, and `*` must be the only entry. */
function checkList(path: FieldPath, values: readonly string[], what: string): FieldError[] {
  if (values.length === 0) return [requiredField(path)];
  if (values.length === 1 || !values.includes('*')) return [];
  return [invalidField(path, values, `if '*' is present, must not specify other ${what}`)];
}

function checkNoEmpty(path: FieldPath, values: readonly string[]): FieldError[] {
  return values.flatMap((value, index) => (value === '' ? [requiredField(path.index(index))] : []));
}

function checkResources(path: FieldPath, resources: readonly string[]): FieldError[] {
  if (resources.length === 0) return [requiredField(path)];
  const errors = checkNoEmpty(path, resources);
  const allOf = new Set<string>();
  const ofAll = new Set<string>();
  for (const [index, entry] of resources.entries()) {
    const slash = entry.indexOf('/');
    if (slash < 0) continue;
    const [resource, subresource] = [entry.slice(0, slash), entry.slice(slash + 1)];
    const refuse = (wider: string) =>
      errors.push(invalidField(path.index(index), entry, `if '${wider}' is present, must not specify ${entry}`));
    if (allOf.has(resource)) refuse(`${resource}/*`);
    if (ofAll.has(subresource)) refuse(`*/${subresource}`);
    if (subresource === '*') allOf.add(resource);
    if (resource === '*') ofAll.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalidField(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  // Only the last of the resources without subresources counts: upstream lets `x, *` pass, and not `*, x`.
  const last = resources.findLast((entry) => entry !== '' && !entry.includes('/'));
  if (resources.includes('*') && last !== '*') {
    const detail = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalidField(path, resources, detail));
  }
  return errors;
}
