import type { ReplicaSet } from '@coracle/api';
import type { Strategy } from '../strategy.js';
import { daemonSetStrategy } from './daemon-set.strategy.js';
import { statefulSetStrategy } from './stateful-set.strategy.js';

const replicaSets: Strategy<ReplicaSet> = {
  hasGeneration: true,
  selectableFields: { 'status.replicas': ({ status }) => String(status?.replicas ?? 0) },
};

/** Resource → what it does differently. */
// biome-ignore lint/suspicious/noExplicitAny: a table of strategies for different types
export const strategies: Readonly<Record<string, Strategy<any>>> = {
  daemonsets: daemonSetStrategy,
  deployments: { hasGeneration: true },
  replicasets: replicaSets,
  statefulsets: statefulSetStrategy,
};
