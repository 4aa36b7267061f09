import type { rbacv1 } from '@coracle/api';
import { refs } from '@coracle/api';
import { forbidden } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { Authorizer } from '../../authorization/authorizer.js';
import { describeRule, uncovered } from '../../authorization/rbac/covers.js';
import type { PolicyRule } from '../../authorization/rbac/rule-match.js';
import type { ObjectReader } from '../../registry/object-reader.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';

/**
 * Nobody gives away more than they have: a role may hold only rules that its writer holds, and a binding
 * may refer only to such a role, unless the writer may `escalate` or `bind` it.
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
    validate(attributes) {
      if (attributes.user.groups.includes('system:masters')) return;
      const binding = attributes.resource.resource.endsWith('bindings');
      const wanted = binding ? boundRules(attributes, deps.objects) : changedRules(attributes);
      if (wanted.length === 0 || mayAnyway(attributes, binding ? 'bind' : 'escalate', deps.authorizer)) return;
      refuseUncovered(attributes, wanted, deps.authorizer);
    },
  };
}

function changedRules({ object, oldObject }: AdmissionAttributes): readonly PolicyRule[] {
  const role = object as rbacv1.ClusterRole;
  const previous = oldObject as rbacv1.ClusterRole | undefined;
  // Whoever may aggregate may collect any rules, so that asks for all of them.
  if (role.aggregationRule && !deepEqual(role.aggregationRule, previous?.aggregationRule)) return everything;
  return deepEqual(role.rules, previous?.rules) ? [] : (role.rules ?? []);
}

const everything: readonly PolicyRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
];

function boundRules(
  { object, oldObject, namespace }: AdmissionAttributes,
  objects: ObjectReader,
): readonly PolicyRule[] {
  const { roleRef, subjects } = object as rbacv1.RoleBinding;
  const previous = oldObject as rbacv1.RoleBinding | undefined;
  if (previous && deepEqual(previous.roleRef, roleRef) && deepEqual(previous.subjects, subjects)) return [];
  const role =
    roleRef.kind === 'ClusterRole'
      ? objects.get(refs.clusterRoles, '', roleRef.name)
      : objects.get(refs.roles, namespace, roleRef.name);
  return role?.rules ?? [];
}

function mayAnyway(
  { user, object, resource, namespace, name }: AdmissionAttributes,
  verb: 'bind' | 'escalate',
  authorizer: Authorizer,
): boolean {
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
  if (verb === 'escalate') return authorizer.authorize({ ...base, resource: resource.resource, name }).kind === 'allow';
  const { roleRef } = object as rbacv1.RoleBinding;
  const target = roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  return authorizer.authorize({ ...base, resource: target, name: roleRef.name }).kind === 'allow';
}

function refuseUncovered(
  { user, resource, namespace, name }: AdmissionAttributes,
  wanted: readonly PolicyRule[],
  authorizer: Authorizer,
): void {
  const held = authorizer.rulesFor?.(user, namespace);
  const rules = [...(held?.resourceRules ?? []), ...(held?.nonResourceRules ?? [])] as unknown as PolicyRule[];
  const missing = uncovered(rules, wanted);
  if (missing.length === 0) return;
  const groups = `groups=[${user.groups.map((group) => JSON.stringify(group)).join(' ')}]`;
  const list = missing.map((rule) => `\n${describeRule(rule)}`).join('');
  throw forbidden(
    resource,
    name,
    `user ${JSON.stringify(user.name)} (${groups}) is attempting to grant RBAC permissions not currently held:${list}`,
  );
}
