import { refs } from '@coracle/api';
import { reasonOf } from '@coracle/apimachinery';
import type { Client } from '@coracle/client';
import type { RouteBackend } from '@coracle/cni';
import type { NodeNetworkSettings } from './node-network.js';

/** Settings that all nodes of a network share. */
export type PublishedNetwork = Pick<
  NodeNetworkSettings,
  'clusterCidrs' | 'serviceCidrs' | 'backend' | 'clusterDomain' | 'connectsPods'
>;

const name = 'coracle-network';
const namespace = 'kube-system';
const fieldManager = 'coracle-network';
const rbac = 'rbac.authorization.k8s.io';
const nodes = { apiGroup: rbac, kind: 'Group', name: 'system:nodes' };
const read = ['get', 'list', 'watch'];

/** Resources that the service proxy, the routes and the network policies of a node watch. */
const followed = [
  { apiGroups: [''], resources: ['namespaces', 'nodes', 'pods', 'services'], verbs: read },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: read },
  { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: read },
];

/** Publishes the network for machines that join, and grants nodes the required permissions. */
export async function publishNetwork(client: Client, network: PublishedNetwork): Promise<void> {
  const options = { fieldManager, force: true };
  const own = { metadata: { name, namespace } };
  await client.resource(refs.configMaps, namespace).apply({ ...own, data: textOf(network) }, options);
  const reading = [{ apiGroups: [''], resources: ['configmaps'], resourceNames: [name], verbs: ['get'] }];
  await client.resource(refs.roles, namespace).apply({ ...own, rules: reading }, options);
  const roleRef = (kind: string) => ({ apiGroup: rbac, kind, name });
  await client
    .resource(refs.roleBindings, namespace)
    .apply({ ...own, roleRef: roleRef('Role'), subjects: [nodes] }, options);
  await client.resource(refs.clusterRoles).apply({ metadata: { name }, rules: followed }, options);
  await client
    .resource(refs.clusterRoleBindings)
    .apply({ metadata: { name }, roleRef: roleRef('ClusterRole'), subjects: [nodes] }, options);
}

/** `undefined` if nothing is published, as in clusters with another network plugin. */
export async function readPublishedNetwork(client: Client): Promise<PublishedNetwork | undefined> {
  try {
    const { data = {} } = await client.resource(refs.configMaps, namespace).get(name);
    return networkOf(data);
  } catch (error) {
    // Nodes may read it only where it has been published.
    if (['NotFound', 'Forbidden'].includes(reasonOf(error) ?? '')) return undefined;
    throw error;
  }
}

const backends: readonly string[] = ['auto', 'host-gateway', 'vxlan'] satisfies RouteBackend[];

function textOf(network: PublishedNetwork): Record<string, string> {
  const { clusterCidrs, serviceCidrs, backend, clusterDomain, connectsPods = true } = network;
  return {
    clusterCIDRs: clusterCidrs.join(','),
    serviceCIDRs: serviceCidrs.join(','),
    ...(backend && { backend }),
    ...(clusterDomain && { clusterDomain }),
    ...(!connectsPods && { connectsPods: 'false' }),
  };
}

function networkOf(data: Readonly<Record<string, string>>): PublishedNetwork {
  const { clusterCIDRs = '', serviceCIDRs = '', backend = '', clusterDomain, connectsPods } = data;
  const list = (text: string) => text.split(',').filter((one) => one !== '');
  return {
    clusterCidrs: list(clusterCIDRs),
    serviceCidrs: list(serviceCIDRs),
    ...(isBackend(backend) && { backend }),
    ...(clusterDomain && { clusterDomain }),
    ...(connectsPods === 'false' && { connectsPods: false }),
  };
}

function isBackend(text: string): text is RouteBackend {
  return backends.includes(text);
}
