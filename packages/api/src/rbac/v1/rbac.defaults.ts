import type { ClusterRoleBinding, RoleBinding } from '../../generated/types/rbac-v1.js';

export const rbacGroup = 'rbac.authorization.k8s.io';

/** Users, groups and roles are of the group itself; service accounts of the core. */
export function setBindingDefaults(binding: RoleBinding | ClusterRoleBinding): void {
  binding.roleRef ??= { kind: '', name: '' };
  binding.roleRef.apiGroup ||= rbacGroup;
  for (const subject of binding.subjects ?? []) {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= rbacGroup;
  }
}
