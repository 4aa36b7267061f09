import type { ResourceInfo } from '@coracle/apimachinery';
import { type Access, may } from './access-rules.js';
import { type Catalog, idOf } from './catalog.js';

export interface KindSection {
  readonly title: 'workloads' | 'network' | 'config' | 'storage' | 'accessControl' | 'cluster' | 'custom' | 'other';
  readonly kinds: readonly ResourceInfo[];
}

/** Where people look for kinds, as in other dashboards; all others come after. */
const places: Readonly<Record<string, KindSection['title']>> = {
  pods: 'workloads',
  'deployments.apps': 'workloads',
  'statefulsets.apps': 'workloads',
  'daemonsets.apps': 'workloads',
  'replicasets.apps': 'workloads',
  'jobs.batch': 'workloads',
  'cronjobs.batch': 'workloads',
  replicationcontrollers: 'workloads',
  'horizontalpodautoscalers.autoscaling': 'workloads',
  'poddisruptionbudgets.policy': 'workloads',
  services: 'network',
  'endpointslices.discovery.k8s.io': 'network',
  'ingresses.networking.k8s.io': 'network',
  'ingressclasses.networking.k8s.io': 'network',
  'networkpolicies.networking.k8s.io': 'network',
  configmaps: 'config',
  secrets: 'config',
  resourcequotas: 'config',
  limitranges: 'config',
  'priorityclasses.scheduling.k8s.io': 'config',
  persistentvolumeclaims: 'storage',
  persistentvolumes: 'storage',
  'storageclasses.storage.k8s.io': 'storage',
  'volumeattachments.storage.k8s.io': 'storage',
  'csidrivers.storage.k8s.io': 'storage',
  serviceaccounts: 'accessControl',
  'roles.rbac.authorization.k8s.io': 'accessControl',
  'rolebindings.rbac.authorization.k8s.io': 'accessControl',
  'clusterroles.rbac.authorization.k8s.io': 'accessControl',
  'clusterrolebindings.rbac.authorization.k8s.io': 'accessControl',
  nodes: 'cluster',
  namespaces: 'cluster',
  events: 'cluster',
  'leases.coordination.k8s.io': 'cluster',
  'customresourcedefinitions.apiextensions.k8s.io': 'cluster',
  'apiservices.apiregistration.k8s.io': 'cluster',
};

const order: readonly KindSection['title'][] = [
  'workloads',
  'network',
  'config',
  'storage',
  'accessControl',
  'cluster',
  'custom',
  'other',
];

/** The kinds that the user may list, in sections. */
export function sectionsOf(catalog: Catalog, access: Access): KindSection[] {
  const paths = Object.keys(places);
  const rank = (info: ResourceInfo) => (paths.indexOf(idOf(info)) + paths.length + 1) % (paths.length + 1);
  const seen = catalog.kinds.filter((info) => mayShow(info, access));
  return order
    .map((title) => ({
      title,
      kinds: seen.filter((info) => placeOf(info) === title).sort((a, b) => rank(a) - rank(b) || compare(a, b)),
    }))
    .filter(({ kinds }) => kinds.length > 0);
}

/** Users with access to one namespace only see no cluster-scoped kinds. */
export function mayShow(info: ResourceInfo, access: Access): boolean {
  if (access.onlyNamespace !== undefined && !info.namespaced) return false;
  // The newer form of events is the same events.
  return may(access, 'list', info) && idOf(info) !== 'events.events.k8s.io';
}

function placeOf(info: ResourceInfo): KindSection['title'] {
  const place = places[idOf(info)];
  if (place) return place;
  return info.group.includes('.') && !info.group.endsWith('.k8s.io') ? 'custom' : 'other';
}

function compare(a: ResourceInfo, b: ResourceInfo): number {
  return idOf(a) < idOf(b) ? -1 : 1;
}

/** `HorizontalPodAutoscaler` → `Horizontal Pod Autoscalers`: a title for many. */
export function pluralOf(kind: string): string {
  const spaced = kind.replace(/([a-z])([A-Z])/g, '$1 $2');
  if (/(s|x|ch|sh)$/.test(spaced)) return kind.endsWith('ints') ? spaced : `${spaced}es`;
  return /[^aeiou]y$/.test(spaced) ? `${spaced.slice(0, -1)}ies` : `${spaced}s`;
}
