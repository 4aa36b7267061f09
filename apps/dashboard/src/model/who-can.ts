import type { KubeObject } from '@coracle/apimachinery';
import { type ResourceRule, ruleAllows } from './access-rules.js';

export interface Question {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
}

export interface Grant {
  readonly subject: { readonly kind: string; readonly name: string; readonly namespace?: string | undefined };
  readonly role: { readonly kind: string; readonly name: string };
  readonly binding: { readonly kind: string; readonly name: string; readonly namespace?: string | undefined };
}

interface Binding extends KubeObject {
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}

interface Role extends KubeObject {
  readonly rules?: readonly ResourceRule[];
}

export interface RbacObjects {
  readonly roles: readonly KubeObject[];
  readonly clusterRoles: readonly KubeObject[];
  readonly roleBindings: readonly KubeObject[];
  readonly clusterRoleBindings: readonly KubeObject[];
}

/** The subjects that may do something in a namespace, with the role and binding. */
export function whoCan(question: Question, namespace: string | undefined, objects: RbacObjects): Grant[] {
  const bindings = [
    ...(objects.clusterRoleBindings as readonly Binding[]).map((binding) => ({ binding, kind: 'ClusterRoleBinding' })),
    ...(objects.roleBindings as readonly Binding[])
      .filter(({ metadata }) => metadata.namespace === namespace)
      .map((binding) => ({ binding, kind: 'RoleBinding' })),
  ];
  return bindings.flatMap(({ binding, kind }) => {
    const { roleRef, subjects = [], metadata } = binding;
    const role = roleRef && roleOf(roleRef, metadata.namespace, objects);
    if (!roleRef || !role?.rules?.some((rule) => ruleAllows(rule, question))) return [];
    return subjects.map((subject) => ({
      subject,
      role: { kind: roleRef.kind, name: roleRef.name },
      binding: { kind, name: metadata.name ?? '', namespace: metadata.namespace },
    }));
  });
}

function roleOf(
  { kind, name }: { readonly kind: string; readonly name: string },
  namespace: string | undefined,
  { roles, clusterRoles }: RbacObjects,
): Role | undefined {
  if (kind === 'ClusterRole') return clusterRoles.find(({ metadata }) => metadata.name === name);
  return roles.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
}

/** Whether a grant is one of a user: by name, by group, or as a service account. */
export function isMine(
  { subject }: Grant,
  user: { readonly user: string; readonly groups: readonly string[] },
): boolean {
  if (subject.kind === 'Group') return user.groups.includes(subject.name);
  if (subject.kind === 'ServiceAccount')
    return user.user === `system:serviceaccount:${subject.namespace}:${subject.name}`;
  return user.user === subject.name;
}
