import type { ClusterRole } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';

/** What an operator works with. */
export interface OperatorRoleOptions {
  /** The operator's own resources: it may do everything with these, their status and their finalizers. */
  readonly owns?: readonly ResourceRef<KubeObject>[];
  /** What it makes. */
  readonly writes?: readonly ResourceRef<KubeObject>[];
  /** What it looks at. */
  readonly reads?: readonly ResourceRef<KubeObject>[];
}

type Rule = NonNullable<ClusterRole['rules']>[number];

const allVerbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

/**
 * What an operator must be allowed everywhere, events included, as a manifest. The right to be elected leader holds in one
 * namespace and comes with `operatorWorkload`.
 */
export function operatorRole(name: string, { owns = [], writes = [], reads = [] }: OperatorRoleOptions): ClusterRole {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules: [
      ...owns.flatMap((ref) => [
        rule(ref, '', allVerbs),
        rule(ref, '/finalizers', ['update']),
        rule(ref, '/status', ['get', 'patch', 'update']),
      ]),
      ...writes.map((ref) => rule(ref, '', allVerbs)),
      ...reads.map((ref) => rule(ref, '', ['get', 'list', 'watch'])),
      { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
    ],
  };
}

function rule({ group, resource }: ResourceRef<KubeObject>, subresource: string, verbs: readonly string[]): Rule {
  return { apiGroups: [group], resources: [`${resource}${subresource}`], verbs: [...verbs] };
}
