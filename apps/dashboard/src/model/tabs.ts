import type { ResourceInfo } from '@coracle/apimachinery';
import { idOf } from './catalog.js';

export type TabName =
  | 'summary'
  | 'yaml'
  | 'edit'
  | 'events'
  | 'logs'
  | 'terminal'
  | 'preview'
  | 'story'
  | 'scheduling'
  | 'rollout';

/** Kinds whose pods have logs. */
const withPods = new Set([
  'pods',
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'replicasets.apps',
  'jobs.batch',
  'replicationcontrollers',
]);

/** What there is to see of an object of a kind. */
export function tabsOf(info: ResourceInfo, isCoracle: boolean): TabName[] {
  const id = idOf(info);
  const isPod = id === 'pods';
  return [
    'summary',
    'yaml',
    ...(info.verbs.includes('update') ? (['edit'] as const) : []),
    'events',
    ...(withPods.has(id) ? (['logs'] as const) : []),
    ...(isPod ? (['terminal'] as const) : []),
    ...(isPod || id === 'services' ? (['preview'] as const) : []),
    ...(id === 'deployments.apps' ? (['rollout'] as const) : []),
    ...(isPod && isCoracle ? (['story', 'scheduling'] as const) : []),
  ];
}
