import type { KubeObject, ResourceRef } from '@coracle/apimachinery';

function ref(
  group: string,
  version: string,
  resource: string,
  kind: string,
  namespaced = true,
): ResourceRef<KubeObject> {
  return { group, version, resource, kind, namespaced };
}

/** The kinds with their own pages. All others come from discovery. */
export const refs = {
  pods: ref('', 'v1', 'pods', 'Pod'),
  nodes: ref('', 'v1', 'nodes', 'Node', false),
  namespaces: ref('', 'v1', 'namespaces', 'Namespace', false),
  events: ref('', 'v1', 'events', 'Event'),
  services: ref('', 'v1', 'services', 'Service'),
  endpointSlices: ref('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice'),
  networkPolicies: ref('networking.k8s.io', 'v1', 'networkpolicies', 'NetworkPolicy'),
  quotas: ref('', 'v1', 'resourcequotas', 'ResourceQuota'),
  limits: ref('', 'v1', 'limitranges', 'LimitRange'),
  claims: ref('', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim'),
  volumes: ref('', 'v1', 'persistentvolumes', 'PersistentVolume', false),
  storageClasses: ref('storage.k8s.io', 'v1', 'storageclasses', 'StorageClass', false),
  deployments: ref('apps', 'v1', 'deployments', 'Deployment'),
  replicaSets: ref('apps', 'v1', 'replicasets', 'ReplicaSet'),
  controllerRevisions: ref('apps', 'v1', 'controllerrevisions', 'ControllerRevision'),
  roles: ref('rbac.authorization.k8s.io', 'v1', 'roles', 'Role'),
  roleBindings: ref('rbac.authorization.k8s.io', 'v1', 'rolebindings', 'RoleBinding'),
  clusterRoles: ref('rbac.authorization.k8s.io', 'v1', 'clusterroles', 'ClusterRole', false),
  clusterRoleBindings: ref('rbac.authorization.k8s.io', 'v1', 'clusterrolebindings', 'ClusterRoleBinding', false),
} as const;
