import type { ReplicaSet } from '@coracle/api';
import { templateStrategy } from '../core/pod-template.strategy.js';
import type { Strategy } from '../strategy.js';
import { daemonSetStrategy } from './daemon-set.strategy.js';
import { deploymentStrategy } from './deployment.strategy.js';
import { statefulSetStrategy } from './stateful-set.strategy.js';

const replicaSetStrategy: Strategy<ReplicaSet> = templateStrategy(
  { group: 'apps', version: 'v1', kind: 'ReplicaSet' },
  ({ spec }) => spec?.template,
  { selectableFields: { 'status.replicas': ({ status }) => String(status?.replicas ?? 0) } },
);

/** Resource → what it does differently. */
// biome-ignore lint/suspicious/noExplicitAny: a table of strategies for different types
export const strategies: Readonly<Record<string, Strategy<any>>> = {
  daemonsets: daemonSetStrategy,
  deployments: deploymentStrategy,
  replicasets: replicaSetStrategy,
  statefulsets: statefulSetStrategy,
};
