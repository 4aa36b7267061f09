import { aggregate } from '@coracle/apimachinery';
import type { ObjectReader } from '../../object-reader.js';
import type { UserInfo } from '../../user-info.js';
import type { AccessAttributes, AccessRules, Decision, LocalAuthorizer } from '../authorizer.js';
import { createRoleGraph, type RoleGraph } from './role-graph.js';
import { ruleAllows } from './rule-match.js';

const noOpinion: Decision = { kind: 'no-opinion', reason: '' };
/** Per user, so that requests with always new names cannot fill the memory. */
const rememberAtMost = 2000;
/** Paths and names can be as long as a request's head. */
const longestKey = 1000;

/** Allows what the roles bound to a user allow. Decisions are cached until a role or a binding changes. */
export function rbac(objects: ObjectReader): LocalAuthorizer {
  const roles = createRoleGraph(objects);
  let remembered = new WeakMap<UserInfo, Map<string, Decision>>();
  let rememberedAt = 0;

  return {
    name: 'RBAC',

    authorize(attributes) {
      const graph = roles.current();
      if (graph.generation !== rememberedAt) {
        remembered = new WeakMap();
        rememberedAt = graph.generation;
      }
      let decisions = remembered.get(attributes.user);
      if (!decisions) remembered.set(attributes.user, (decisions = new Map()));
      const key = keyOf(attributes);
      const cachedDecision = decisions.get(key);
      if (cachedDecision) return cachedDecision;
      if (decisions.size >= rememberAtMost) decisions.clear();
      const decision = decide(graph, attributes);
      if (key.length <= longestKey) decisions.set(key, decision);
      return decision;
    },

    rulesFor: (user, namespace) => rulesOf(roles.current(), user, namespace),
  };
}

function keyOf({
  verb,
  isResourceRequest,
  group,
  resource,
  subresource,
  namespace,
  name,
  path,
}: AccessAttributes): string {
  return isResourceRequest ? `${verb} ${group}/${resource}/${subresource} ${namespace}/${name}` : `${verb} ${path}`;
}

function decide(graph: RoleGraph, attributes: AccessAttributes): Decision {
  const errors: string[] = [];
  for (const { rules, because, error } of graph.grantsFor(attributes.user, attributes.namespace)) {
    for (const rule of rules)
      if (ruleAllows(rule, attributes)) return { kind: 'allow', reason: `RBAC: allowed by ${because}` };
    if (error !== undefined) errors.push(error);
  }
  return errors.length === 0 ? noOpinion : { kind: 'no-opinion', reason: `RBAC: ${aggregate(errors)}` };
}

function rulesOf(graph: RoleGraph, user: UserInfo, namespace: string): AccessRules {
  const resourceRules: AccessRules['resourceRules'][number][] = [];
  const nonResourceRules: AccessRules['nonResourceRules'][number][] = [];
  const errors: string[] = [];
  for (const { rules, error } of graph.grantsFor(user, namespace)) {
    if (error !== undefined) errors.push(error);
    for (const { verbs, apiGroups = [], resources = [], resourceNames, nonResourceURLs } of rules) {
      if (resources.length > 0)
        resourceRules.push({ verbs, apiGroups, resources, ...(resourceNames && { resourceNames }) });
      if (nonResourceURLs?.length) nonResourceRules.push({ verbs, nonResourceURLs });
    }
  }
  const rules = { resourceRules, nonResourceRules, incomplete: false };
  return errors.length === 0 ? rules : { ...rules, evaluationError: aggregate(errors) };
}
