import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding, rbacv1 } from '@coracle/api';
import { refs } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import { rbacDefaults } from '../generated/rbac-defaults.js';
import { type IsServed, optionalRules } from './optional-roles.js';

type RbacKind = 'ClusterRole' | 'ClusterRoleBinding' | 'Role' | 'RoleBinding';
export type RbacObject = ClusterRole | ClusterRoleBinding | Role | RoleBinding;

const refByKind: Readonly<Record<RbacKind, ResourceRef<KubeObject>>> = {
  ClusterRole: refs.clusterRoles,
  ClusterRoleBinding: refs.clusterRoleBindings,
  Role: refs.roles,
  RoleBinding: refs.roleBindings,
};

/** As the generated table writes them: bindings in short form, aggregated roles without rules. */
interface DefaultEntry {
  readonly labels?: Readonly<Record<string, string>>;
  readonly rules?: readonly rbacv1.PolicyRule[] | null;
  readonly aggregationRule?: rbacv1.AggregationRule;
  readonly roleRef?: string;
  readonly subjects?: readonly string[];
}

type Entries = Readonly<Record<string, DefaultEntry>>;

/** Every role and binding that a cluster starts with. */
export function defaultRbacObjects(
  isServed: IsServed,
): { readonly ref: ResourceRef<KubeObject>; readonly object: RbacObject }[] {
  const added = addedEntries(isServed);
  return (Object.keys(refByKind) as RbacKind[]).flatMap((kind) =>
    Object.entries({ ...((rbacDefaults[kind] ?? {}) as Entries), ...added[kind] }).map(([key, entry]) => ({
      ref: refByKind[kind],
      object: toObject(kind, key, entry),
    })),
  );
}

/** Controllers of kinds that are off by default: more rules for the roles that there are, and roles of their own. */
function addedEntries(isServed: IsServed): Partial<Record<RbacKind, Entries>> {
  const roles: Record<string, DefaultEntry> = {};
  const bindings: Record<string, DefaultEntry> = {};
  for (const [account, rules] of optionalRules(isServed)) {
    const name = `system:controller:${account}`;
    const defaultRole = (rbacDefaults['ClusterRole'] as Entries | undefined)?.[name];
    roles[name] = { ...defaultRole, rules: [...(defaultRole?.rules ?? []), ...rules] };
    if (!defaultRole)
      bindings[name] = { roleRef: `ClusterRole/${name}`, subjects: [`ServiceAccount:kube-system:${account}`] };
  }
  return { ClusterRole: roles, ClusterRoleBinding: bindings };
}

function toObject(kind: RbacKind, key: string, entry: DefaultEntry): RbacObject {
  const slash = kind === 'Role' || kind === 'RoleBinding' ? key.indexOf('/') : -1;
  const metadata = {
    name: key.slice(slash + 1),
    ...(slash > 0 && { namespace: key.slice(0, slash) }),
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...entry.labels },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  };
  const head = { apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata };
  if (entry.roleRef !== undefined)
    return { ...head, roleRef: toRoleRef(entry.roleRef), subjects: (entry.subjects ?? []).map(toSubject) };
  const rules = entry.aggregationRule ? aggregatedRules(entry.aggregationRule) : [...(entry.rules ?? [])];
  return { ...head, rules, ...(entry.aggregationRule && { aggregationRule: entry.aggregationRule }) };
}

/** Filled in from the start, so that `view` is not empty until the aggregation controller has started. */
function aggregatedRules({ clusterRoleSelectors = [] }: rbacv1.AggregationRule): rbacv1.PolicyRule[] {
  const entries = Object.entries(rbacDefaults['ClusterRole'] ?? {}) as [string, DefaultEntry][];
  const rules: rbacv1.PolicyRule[] = [];
  for (const { matchLabels = {} } of clusterRoleSelectors) {
    for (const [, entry] of entries) {
      if (!Object.entries(matchLabels).every(([label, value]) => entry.labels?.[label] === value)) continue;
      const own = entry.aggregationRule ? aggregatedRules(entry.aggregationRule) : (entry.rules ?? []);
      for (const rule of own)
        if (!rules.some((existing) => JSON.stringify(existing) === JSON.stringify(rule))) rules.push(rule);
    }
  }
  return rules;
}

/** `ClusterRole/view` */
function toRoleRef(text: string): rbacv1.RoleRef {
  const slash = text.indexOf('/');
  return { apiGroup: 'rbac.authorization.k8s.io', kind: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** `Group:system:masters`, `ServiceAccount:kube-system:name` */
function toSubject(text: string): rbacv1.Subject {
  const colon = text.indexOf(':');
  const kind = text.slice(0, colon);
  const name = text.slice(colon + 1);
  if (kind !== 'ServiceAccount') return { apiGroup: 'rbac.authorization.k8s.io', kind, name };
  const [namespace = '', account = ''] = name.split(':');
  return { kind, name: account, namespace };
}
