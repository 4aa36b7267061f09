import type { rbacv1 } from '@coracle/api';
import { refs } from '@coracle/api';
import { forbidden, type KubeObject, notFound } from '@coracle/apimachinery';
import type { Authorizer } from '../../authorization/authorizer.js';
import { compactRules, describeRule, uncovered } from '../../authorization/rbac/covers.js';
import type { PolicyRule } from '../../authorization/rbac/rule-match.js';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';
import { isHousekeeping } from '../housekeeping.js';

/**
 * Prevents privilege escalation: a role may contain only rules that its writer holds, and a binding may refer only to
 * such a role, unless the writer may `escalate` or `bind` it.
 */
export function rbacEscalation(deps: {
  readonly objects: ObjectReader;
  readonly authorizer: Authorizer;
}): AdmissionPlugin {
  return {
    name: 'RBACEscalation',
    handles: ({ operation, resource, subresource }) =>
      resource.group === 'rbac.authorization.k8s.io' &&
      subresource === '' &&
      (operation === 'CREATE' || operation === 'UPDATE'),
    // Runs as a mutating plugin without changing anything, so that a user who may not grant the role is rejected before
    // validation.
    async mutate(attributes) {
      const { user, resource, object, oldObject } = attributes;
      if (user.groups.includes('system:masters')) return;
      // Labels grant permissions too: aggregated roles select others by them.
      if (object && oldObject && isHousekeeping(object, oldObject)) return;
      const isBinding = resource.resource.endsWith('bindings');
      if (await mayAnyway(attributes, isBinding ? 'bind' : 'escalate', deps.authorizer)) return;
      if (isBinding) refuseUncovered(attributes, boundRules(attributes, deps.objects), deps.authorizer);
      else checkRole(attributes, deps.authorizer);
    },
  };
}

/** An aggregated role may collect any rules, so it requires all of them. */
function checkRole(attributes: AdmissionAttributes, authorizer: Authorizer): void {
  const { object, oldObject } = attributes;
  refuseUncovered(attributes, (object as rbacv1.ClusterRole).rules ?? [], authorizer);
  if ([object, oldObject].some(aggregates) && uncoveredBy(attributes, everything, authorizer).missing.length > 0) {
    const why = 'must have cluster-admin privileges to use the aggregationRule';
    throw forbidden(attributes.resource, attributes.name, why);
  }
}

function aggregates(role: KubeObject | undefined): boolean {
  const { aggregationRule } = (role ?? {}) as Partial<rbacv1.ClusterRole>;
  return (aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;
}

const everything: readonly PolicyRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
];

/** A role that does not exist yet might get any rules, so only users with the verb `bind` may bind it. */
function boundRules({ object, namespace }: AdmissionAttributes, objects: ObjectReader): readonly PolicyRule[] {
  const { roleRef } = object as rbacv1.RoleBinding;
  const ref = roleRef.kind === 'ClusterRole' ? refs.clusterRoles : refs.roles;
  const role = objects.get(ref, roleRef.kind === 'ClusterRole' ? '' : namespace, roleRef.name);
  if (!role) throw notFound({ group: ref.group, resource: ref.resource }, roleRef.name);
  return (role as rbacv1.ClusterRole).rules ?? [];
}

async function mayAnyway(
  { user, object, resource, namespace, name }: AdmissionAttributes,
  verb: 'bind' | 'escalate',
  authorizer: Authorizer,
): Promise<boolean> {
  const base = {
    user,
    verb,
    isResourceRequest: true,
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    subresource: '',
    namespace,
    path: '',
  };
  const allowed = async (target: string, targetName: string) =>
    (await authorizer.authorize({ ...base, resource: target, name: targetName })).kind === 'allow';
  if (verb === 'escalate') return await allowed(resource.resource, name);
  const { roleRef } = object as rbacv1.RoleBinding;
  return await allowed(roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles', roleRef.name);
}

function uncoveredBy(
  { user, namespace }: AdmissionAttributes,
  grantedRules: readonly PolicyRule[],
  authorizer: Authorizer,
): { readonly missing: readonly PolicyRule[]; readonly error?: string | undefined } {
  const held = authorizer.rulesFor?.(user, namespace);
  const rules = [...(held?.resourceRules ?? []), ...(held?.nonResourceRules ?? [])] as PolicyRule[];
  return { missing: uncovered(rules, grantedRules), error: held?.evaluationError };
}

function refuseUncovered(attributes: AdmissionAttributes, rules: readonly PolicyRule[], authorizer: Authorizer): void {
  const { user, resource, name } = attributes;
  const { missing, error } = uncoveredBy(attributes, rules, authorizer);
  if (missing.length === 0) return;
  const groups = `groups=[${user.groups.map((group) => JSON.stringify(group)).join(' ')}]`;
  const list = [...new Set(compactRules(missing).map(describeRule))].sort().join('\n');
  const unresolved = error === undefined ? '' : `; resolution errors: [${error}]`;
  throw forbidden(
    resource,
    name,
    `user ${JSON.stringify(user.name)} (${groups}) is attempting to grant RBAC permissions not currently held:\n${list}${unresolved}`,
  );
}
