import type { ClusterRole, Role } from '@coracle/api';
import { refs } from '@coracle/api';
import type { ObjectReader } from '../../object-reader.js';
import type { AccessAttributes } from '../authorizer.js';
import { type PolicyRule, ruleAllows } from './rule-match.js';

/** A role that would allow a request, if it were bound to its user. */
export interface RoleThatAllows {
  readonly kind: 'ClusterRole' | 'Role';
  readonly name: string;
  /** How much else it allows: the smaller, the better. */
  readonly rights: number;
}

/** A wildcard counts as this many names. */
const wildcardWeight = 100;
/** The weight of a rule with wildcards for verbs and resources. */
const everything = wildcardWeight ** 2;

/**
 * The roles that allow a request, the one that allows least first. Roles of other namespaces cannot be bound here. Roles
 * of components are not for users: they come after all others but those that allow everything.
 */
export function rolesThatAllow(objects: ObjectReader, attributes: AccessAttributes): RoleThatAllows[] {
  const here = attributes.namespace === '' ? [] : objects.list(refs.roles, attributes.namespace);
  const found = [
    ...here.flatMap((role) => ifAllows('Role', role, attributes)),
    ...objects.list(refs.clusterRoles).flatMap((role) => ifAllows('ClusterRole', role, attributes)),
  ];
  return found.sort((a, b) => rankOf(a) - rankOf(b) || a.rights - b.rights || (a.name < b.name ? -1 : 1));
}

function rankOf({ kind, name, rights }: RoleThatAllows): number {
  if (rights >= everything) return 2;
  return kind === 'ClusterRole' && name.startsWith('system:') ? 1 : 0;
}

function ifAllows(kind: RoleThatAllows['kind'], { metadata, rules }: ClusterRole | Role, attributes: AccessAttributes) {
  if (!rules?.some((rule) => ruleAllows(rule, attributes))) return [];
  return [{ kind, name: metadata.name ?? '', rights: rules.reduce((sum, rule) => sum + rightsOf(rule), 0) }];
}

function rightsOf({ verbs, apiGroups = [], resources = [], resourceNames, nonResourceURLs = [] }: PolicyRule): number {
  const paths = weightOf(nonResourceURLs);
  // A rule for some objects allows less than the same rule for all of them.
  const objects = apiGroups.length * weightOf(resources) * (resourceNames?.length ? 0.5 : 1);
  return weightOf(verbs) * (objects + paths);
}

function weightOf(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + (name.includes('*') ? wildcardWeight : 1), 0);
}
