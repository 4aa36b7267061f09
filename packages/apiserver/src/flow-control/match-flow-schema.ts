import type { flowcontrolv1 } from '@coracle/api';
import type { RequestInfo } from '../request-info.js';
import type { UserInfo } from '../user-info.js';

type Rule = flowcontrolv1.PolicyRulesWithSubjects;
type Subject = flowcontrolv1.Subject;
type ResourceRule = flowcontrolv1.ResourcePolicyRule;
type NonResourceRule = flowcontrolv1.NonResourcePolicyRule;

/** The rules of a schema that match this user. */
export function rulesFor(user: UserInfo, rules: readonly Rule[]): readonly Rule[] {
  return rules.filter(({ subjects }) => subjects?.some((subject) => matchesSubject(subject, user)));
}

export function matchesRequest(rules: readonly Rule[], info: RequestInfo): boolean {
  for (const { resourceRules, nonResourceRules } of rules) {
    if (info.isResourceRequest) {
      if (resourceRules?.some((rule) => matchesResource(rule, info))) return true;
    } else if (nonResourceRules?.some((rule) => matchesPath(rule, info))) return true;
  }
  return false;
}

function matchesSubject({ kind, user, group, serviceAccount }: Subject, caller: UserInfo): boolean {
  if (kind === 'User') return user?.name === '*' || user?.name === caller.name;
  if (kind === 'Group') return group?.name === '*' || caller.groups.includes(group?.name ?? '');
  if (kind !== 'ServiceAccount' || !serviceAccount) return false;
  const prefix = `system:serviceaccount:${serviceAccount.namespace}:`;
  if (serviceAccount.name === '*') return caller.name.startsWith(prefix);
  return caller.name === prefix + serviceAccount.name;
}

function matchesResource(rule: ResourceRule, { verb, group, resource, subresource, namespace }: RequestInfo): boolean {
  if (!includes(rule.verbs, verb) || !includes(rule.apiGroups, group)) return false;
  if (!includes(rule.resources, subresource === '' ? resource : `${resource}/${subresource}`)) return false;
  return namespace === '' ? rule.clusterScope === true : includes(rule.namespaces, namespace);
}

function matchesPath({ verbs, nonResourceURLs }: NonResourceRule, { verb, path }: RequestInfo): boolean {
  return includes(verbs, verb) && nonResourceURLs.some((pattern) => matchesPattern(pattern, path));
}

function matchesPattern(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  return pattern.endsWith('/*') && path.startsWith(pattern.slice(0, -1));
}

function includes(allowed: readonly string[] | undefined, value: string): boolean {
  return allowed !== undefined && (allowed[0] === '*' || allowed.includes(value) || allowed.includes('*'));
}
