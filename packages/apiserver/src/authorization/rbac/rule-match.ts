import type { rbacv1 } from '@coracle/api';
import type { AccessAttributes } from '../authorizer.js';

export type PolicyRule = rbacv1.PolicyRule;

/** Whether one rule of a role allows a request. */
export function ruleAllows(rule: PolicyRule, wanted: AccessAttributes): boolean {
  if (!holds(rule.verbs, wanted.verb)) return false;
  if (!wanted.isResourceRequest) return nonResourceUrlMatches(rule.nonResourceURLs, wanted.path);
  return (
    holds(rule.apiGroups, wanted.group) &&
    resourceMatches(rule.resources, wanted.resource, wanted.subresource) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(wanted.name))
  );
}

function holds(values: readonly string[] | undefined, value: string): boolean {
  return values !== undefined && (values.includes('*') || values.includes(value));
}

/** `pods`, `pods/log`, a subresource of anything (`* /scale` without the blank), or all. */
function resourceMatches(resources: readonly string[] | undefined, resource: string, subresource: string): boolean {
  if (!resources) return false;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  return (
    resources.includes('*') ||
    resources.includes(full) ||
    (subresource !== '' && resources.includes(`*/${subresource}`))
  );
}

export function nonResourceUrlMatches(urls: readonly string[] | undefined, path: string): boolean {
  return (
    urls?.some((url) => url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)))) ??
    false
  );
}
