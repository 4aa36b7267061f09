import type { UserInfo } from '../../user-info.js';
import type { AccessAttributes, AccessRules, Decision, LocalAuthorizer } from '../authorizer.js';
import { type AbacPolicy, parsePolicies } from './policy-file.js';

const readVerbs: readonly string[] = ['get', 'list', 'watch'];
const allowed: Decision = { kind: 'allow', reason: '' };
const unmatched: Decision = { kind: 'no-opinion', reason: 'No policy matched.' };

/** Allows what a line of a file allows, which is read once. `text` is the file's. */
export function abac(text: string): LocalAuthorizer {
  const policies = parsePolicies(text);
  return {
    name: 'ABAC',
    authorize: (attributes) => (policies.some((policy) => matches(policy, attributes)) ? allowed : unmatched),
    rulesFor: (user, namespace) => rulesIn(policies, user, namespace),
  };
}

function matches(policy: AbacPolicy, attributes: AccessAttributes): boolean {
  return (
    isFor(policy, attributes.user) &&
    (!policy.isReadonly || readVerbs.includes(attributes.verb)) &&
    (attributes.isResourceRequest ? matchesResource(policy, attributes) : matchesPath(policy, attributes.path))
  );
}

/**
 * The user and the groups that the policy names must be those of the request; a policy that names none matches none.
 */
function isFor({ user, group }: AbacPolicy, { name, groups }: UserInfo): boolean {
  if (user === '' && group === '') return false;
  return (user === '' || user === '*' || user === name) && (group === '' || groups.includes(group));
}

function matchesResource(policy: AbacPolicy, { namespace, resource, group }: AccessAttributes): boolean {
  const fits = (pattern: string, value: string) => pattern === '*' || pattern === value;
  return fits(policy.namespace, namespace) && fits(policy.resource, resource) && fits(policy.apiGroup, group);
}

function matchesPath({ nonResourcePath: pattern }: AbacPolicy, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')));
}

function rulesIn(policies: readonly AbacPolicy[], user: UserInfo, namespace: string): AccessRules {
  const own = policies.filter(
    (policy) => isFor(policy, user) && (policy.namespace === '*' || policy.namespace === namespace),
  );
  const verbs = ({ isReadonly }: AbacPolicy) => (isReadonly ? readVerbs : ['*']);
  return {
    resourceRules: own
      .filter(({ resource }) => resource !== '')
      .map((policy) => ({ verbs: verbs(policy), apiGroups: [policy.apiGroup], resources: [policy.resource] })),
    nonResourceRules: own
      .filter(({ nonResourcePath }) => nonResourcePath !== '')
      .map((policy) => ({ verbs: verbs(policy), nonResourceURLs: [policy.nonResourcePath] })),
    incomplete: false,
  };
}
