import type { rbacv1 } from '@coracle/api';
import { isAlreadyExists, type KubeObject, type ResourceRef } from '@coracle/apimachinery';
import { uncovered } from '../authorization/rbac/covers.js';
import type { ObjectReader, ObjectWriter } from '../object-reader.js';
import type { IsServed } from './optional-roles.js';
import { defaultRbacObjects, type RbacObject } from './rbac-objects.js';

const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate';

/**
 * Creates the default roles and bindings, and adds missing rules and subjects to existing ones. It never removes any,
 * and ignores objects with the annotation `rbac.authorization.kubernetes.io/autoupdate: "false"`.
 */
export async function reconcileRbac(deps: {
  readonly objects: ObjectReader;
  readonly writer: ObjectWriter;
  /** Whether a kind that is off by default is served. */
  readonly isServed: IsServed;
}): Promise<void> {
  await Promise.all(defaultRbacObjects(deps.isServed).map(({ ref, object }) => reconcile(ref, object, deps)));
}

async function reconcile(
  ref: ResourceRef<KubeObject>,
  desired: RbacObject,
  deps: { readonly objects: ObjectReader; readonly writer: ObjectWriter },
): Promise<void> {
  const { namespace = '', name = '' } = desired.metadata;
  const current = deps.objects.get(ref, namespace, name);
  if (!current) {
    await deps.writer.create(ref, desired).catch((error) => {
      // Another API server was faster.
      if (!isAlreadyExists(error)) throw error;
    });
    return;
  }
  if (current.metadata.annotations?.[autoUpdate] === 'false' || !completed(current as RbacObject, desired)) return;
  await deps.writer.update(ref, namespace, name, (latest) => completed(latest as RbacObject, desired) ?? latest);
}

/** `current` with what it lacks of `desired`, or `undefined` if it lacks nothing. */
function completed(current: RbacObject, desired: RbacObject): RbacObject | undefined {
  if ('subjects' in desired || 'roleRef' in desired) {
    const subjects = (current as rbacv1.RoleBinding).subjects ?? [];
    const missing =
      (desired as rbacv1.RoleBinding).subjects?.filter(
        (one) => !subjects.some((existing) => sameSubject(existing, one)),
      ) ?? [];
    return missing.length === 0
      ? undefined
      : { ...(current as rbacv1.RoleBinding), subjects: [...subjects, ...missing] };
  }
  const role = current as rbacv1.ClusterRole;
  // The rules of an aggregated role belong to its controller.
  if (role.aggregationRule) return undefined;
  const missing = uncovered(role.rules ?? [], (desired as rbacv1.Role).rules ?? []);
  return missing.length === 0 ? undefined : { ...role, rules: [...(role.rules ?? []), ...missing] };
}

function sameSubject(a: rbacv1.Subject, b: rbacv1.Subject): boolean {
  return a.kind === b.kind && a.name === b.name && (a.namespace ?? '') === (b.namespace ?? '');
}
