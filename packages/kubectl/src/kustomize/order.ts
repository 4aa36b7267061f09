import type { Fields } from '../values.js';
import { textAt, textsAt } from '../values.js';
import { groupVersionOf, type KustomizeResource, kindOf, nameOf, namespaceOf } from './resource.js';

const first = [
  'Namespace',
  'ResourceQuota',
  'StorageClass',
  'CustomResourceDefinition',
  'ServiceAccount',
  'PodSecurityPolicy',
  'Role',
  'ClusterRole',
  'RoleBinding',
  'ClusterRoleBinding',
  'ConfigMap',
  'Secret',
  'Endpoints',
  'Service',
  'LimitRange',
  'PriorityClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Deployment',
  'StatefulSet',
  'CronJob',
  'PodDisruptionBudget',
];
const last = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

/** Dependencies come first, unless the kustomization requests the order of its files. */
export function orderResources(resources: readonly KustomizeResource[], config: Fields): KustomizeResource[] {
  if (textAt(config, 'sortOptions', 'order') === 'fifo') return [...resources];
  const [head, tail] = [
    textsAt(config, 'sortOptions', 'legacySortOptions', 'orderFirst'),
    textsAt(config, 'sortOptions', 'legacySortOptions', 'orderLast'),
  ];
  const [begin, end] = [head.length > 0 ? head : first, tail.length > 0 ? tail : last];
  const rank = (object: Fields) => {
    const [early, late] = [begin.indexOf(kindOf(object)), end.indexOf(kindOf(object))];
    if (early >= 0) return early - begin.length;
    return late >= 0 ? late + 1 : 0;
  };
  const key = ({ object }: KustomizeResource) => {
    const { group, version } = groupVersionOf(object);
    return [group || '~G', version || '~V', kindOf(object), namespaceOf(object) || '~X', nameOf(object)].join('_');
  };
  return [...resources].sort(
    (a, b) => rank(a.object) - rank(b.object) || (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0),
  );
}
