import type { rbacv1 } from '@coracle/api';
import type { AccessAttributes } from '../authorizer.js';

export type PolicyRule = rbacv1.PolicyRule;

/** Whether one rule of a role allows a request. */
export function ruleAllows(rule: PolicyRule, attributes: AccessAttributes): boolean {
  if (!holds(rule.verbs, attributes.verb)) return false;
  if (!attributes.isResourceRequest) return nonResourceUrlMatches(rule.nonResourceURLs, attributes.path);
  return (
    holds(rule.apiGroups, attributes.group) &&
    resourceMatches(rule.resources, attributes.resource, attributes.subresource) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(attributes.name))
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
