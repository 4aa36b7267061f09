import type { ClusterRole } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';

/** The resources of an operator. */
export interface OperatorRoleOptions {
  /** The operator's own resources: it may do everything with these, their status and their finalizers. */
  readonly owns?: readonly ResourceRef<KubeObject>[];
  /** Resources that it creates. */
  readonly writes?: readonly ResourceRef<KubeObject>[];
  /** Resources that it reads. */
  readonly reads?: readonly ResourceRef<KubeObject>[];
}

type Rule = NonNullable<ClusterRole['rules']>[number];

const allVerbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

/**
 * The ClusterRole of an operator, including events, as a manifest. The permission for leader election is limited to one
 * namespace and part of `operatorWorkload`.
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
