import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding, rbacv1 } from '@coracle/api';
import { refs } from '@coracle/api';
import type { ObjectReader } from '../../object-reader.js';
import type { UserInfo } from '../../user-info.js';
import type { PolicyRule } from './rule-match.js';

/** A role that a binding grants to a subject. */
export interface Grant {
  readonly rules: readonly PolicyRule[];
  /** For people: `ClusterRoleBinding "x" of ClusterRole "y" to Group "z"`. */
  readonly because: string;
  /** Why the binding has no effect: its role does not exist. */
  readonly error?: string;
}

/** The roles of each user, from the four kinds of RBAC objects; computed again after one of them has changed. */
export interface RoleGraph {
  /** Grows with each change. */
  readonly generation: number;
  /** What `user` is granted everywhere, then in `namespace` if one is given. */
  grantsFor(user: UserInfo, namespace: string): Iterable<Grant>;
}

/**
 * Subject → what is bound to it. Subjects are `User:name`, `Group:name`; service accounts count as the users they log
 * in as.
 */
type GrantsBySubject = Map<string, Grant[]>;

export function createRoleGraph(objects: ObjectReader): { current(): RoleGraph } {
  const kinds = [refs.clusterRoles, refs.clusterRoleBindings, refs.roles, refs.roleBindings];
  let graph: RoleGraph | undefined;
  let builtAt = '';
  let generation = 0;
  return {
    current() {
      const now = kinds.map((ref) => objects.generation(ref)).join();
      if (!graph || now !== builtAt) {
        builtAt = now;
        graph = buildGraph(objects, ++generation);
      }
      return graph;
    },
  };
}

function buildGraph(objects: ObjectReader, generation: number): RoleGraph {
  const everywhere: GrantsBySubject = new Map();
  const byNamespace = new Map<string, GrantsBySubject>();
  for (const binding of objects.list(refs.clusterRoleBindings)) addGrants(everywhere, binding, objects);
  for (const binding of objects.list(refs.roleBindings)) {
    const namespace = binding.metadata.namespace ?? '';
    let grants = byNamespace.get(namespace);
    if (!grants) byNamespace.set(namespace, (grants = new Map()));
    addGrants(grants, binding, objects);
  }
  return {
    generation,
    *grantsFor(user, namespace) {
      const subjects = [`User:${user.name}`, ...user.groups.map((group) => `Group:${group}`)];
      for (const subject of subjects) yield* everywhere.get(subject) ?? [];
      const here = namespace === '' ? undefined : byNamespace.get(namespace);
      if (here) for (const subject of subjects) yield* here.get(subject) ?? [];
    },
  };
}

function addGrants(grants: GrantsBySubject, binding: ClusterRoleBinding | RoleBinding, objects: ObjectReader): void {
  const role = findRole(binding, objects);
  const error = role ? undefined : notFound(binding);
  for (const subject of binding.subjects ?? []) {
    const key = subjectKey(subject);
    const list = grants.get(key) ?? [];
    grants.set(key, list);
    list.push({ rules: role?.rules ?? [], because: explain(binding, subject), ...(error !== undefined && { error }) });
  }
}

function findRole(binding: ClusterRoleBinding | RoleBinding, objects: ObjectReader): Role | ClusterRole | undefined {
  const { kind, name } = binding.roleRef;
  if (kind === 'ClusterRole') return objects.get(refs.clusterRoles, '', name);
  return objects.get(refs.roles, binding.metadata.namespace ?? '', name);
}

function notFound({ roleRef: { kind, name } }: ClusterRoleBinding | RoleBinding): string {
  return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${JSON.stringify(name)} not found`;
}

function subjectKey({ kind, name, namespace }: rbacv1.Subject): string {
  return kind === 'ServiceAccount' ? `User:system:serviceaccount:${namespace}:${name}` : `${kind}:${name}`;
}

function explain(binding: ClusterRoleBinding | RoleBinding, { kind, name, namespace }: rbacv1.Subject): string {
  const scope = binding.metadata.namespace;
  const bindingText = scope
    ? `RoleBinding "${binding.metadata.name}/${scope}"`
    : `ClusterRoleBinding "${binding.metadata.name}"`;
  const subject = kind === 'ServiceAccount' ? `${name}/${namespace}` : name;
  return `${bindingText} of ${binding.roleRef.kind} "${binding.roleRef.name}" to ${kind} "${subject}"`;
}
