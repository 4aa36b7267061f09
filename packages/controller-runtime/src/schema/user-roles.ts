import type { ClusterRole } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';

/** Roles of users for the objects of an operator. All may read the status, none may write it. */
const verbsOf = {
  admin: ['*'],
  editor: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  viewer: ['get', 'list', 'watch'],
};

/**
 * Roles for users of a resource: `website-admin-role`, `website-editor-role`, `website-viewer-role`. The operator needs
 * none of them. A user bound to the first may grant every permission on the resource to others.
 */
export function userRoles({ group, resource, kind }: ResourceRef<KubeObject>): ClusterRole[] {
  return Object.entries(verbsOf).map(([role, verbs]) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: `${kind.toLowerCase()}-${role}-role` },
    rules: [
      { apiGroups: [group], resources: [resource], verbs },
      { apiGroups: [group], resources: [`${resource}/status`], verbs: ['get'] },
    ],
  }));
}
