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

/** Conditions of tabs besides the kind: the cluster, and the permissions of the user. */
export interface TabRights {
  readonly isCoracle: boolean;
  readonly mayEdit: boolean;
  readonly mayExec: boolean;
}

/** The tabs of an object of a kind. */
export function tabsOf(info: ResourceInfo, { isCoracle, mayEdit, mayExec }: TabRights): TabName[] {
  const id = idOf(info);
  const isPod = id === 'pods';
  return [
    'summary',
    'yaml',
    ...(mayEdit && info.verbs.includes('update') ? (['edit'] as const) : []),
    'events',
    ...(withPods.has(id) ? (['logs'] as const) : []),
    ...(isPod && mayExec ? (['terminal'] as const) : []),
    ...(isPod || id === 'services' ? (['preview'] as const) : []),
    ...(id === 'deployments.apps' ? (['rollout'] as const) : []),
    ...(isPod && isCoracle ? (['story', 'scheduling'] as const) : []),
  ];
}
