import type { admissionregistrationv1 } from '@coracle/api';
import type { AdmissionOperation, AdmissionVersion } from '../admission.js';

/** Matches requests against the rules of a webhook or a policy. */
export type Rule = Pick<
  admissionregistrationv1.NamedRuleWithOperations,
  'apiGroups' | 'apiVersions' | 'operations' | 'resources' | 'resourceNames' | 'scope'
>;

/** The attributes of a request that rules match, besides the name of its object. */
export interface RuleTarget {
  readonly operation: AdmissionOperation;
  readonly version: AdmissionVersion;
  readonly subresource: string;
  readonly isNamespaced: boolean;
}

export function matchesRule(rule: Rule, { operation, version, subresource, isNamespaced }: RuleTarget): boolean {
  const { group, version: apiVersion, resource } = version.resource;
  return (
    contains(rule.operations, operation) &&
    contains(rule.apiGroups, group) &&
    contains(rule.apiVersions, apiVersion) &&
    (rule.resources ?? []).some((pattern) => matchesResource(pattern, resource, subresource)) &&
    matchesScope(rule.scope, isNamespaced)
  );
}

function contains(list: readonly string[] | undefined, item: string): boolean {
  return list?.some((one) => one === '*' || one === item) ?? false;
}

/**
 * `pods`, `pods/exec`, or with a star on either side of the slash. A pattern without a slash means the resource itself.
 */
function matchesResource(pattern: string, resource: string, subresource: string): boolean {
  const [resourceName = '', below = ''] = pattern.split('/', 2);
  const isResource = resourceName === '*' || resourceName === resource;
  return isResource && (below === subresource || below === '*');
}

function matchesScope(scope: string | undefined, isNamespaced: boolean): boolean {
  if (scope === undefined || scope === '*') return true;
  return scope === (isNamespaced ? 'Namespaced' : 'Cluster');
}

/** Rules without resource names match all objects. */
export function matchesName({ resourceNames = [] }: Rule, name: string): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}
