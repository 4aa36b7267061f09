import type { ReplicaSet } from '@coracle/api';
import { templateStrategy } from '../core/pod-template.strategy.js';
import type { Strategy, StrategyTable } from '../strategy.js';
import { daemonSetStrategy } from './daemon-set.strategy.js';
import { deploymentStrategy, dropTerminatingReplicas } from './deployment.strategy.js';
import { statefulSetStrategy } from './stateful-set.strategy.js';

const replicaSetStrategy: Strategy<ReplicaSet> = templateStrategy(
  { group: 'apps', version: 'v1', kind: 'ReplicaSet' },
  ({ spec }) => spec?.template,
  {
    dropDisabled: dropTerminatingReplicas,
    selectableFields: { 'status.replicas': ({ status }) => String(status?.replicas ?? 0) },
  },
);

/** Resource → its strategy. */
export const strategies: StrategyTable = {
  daemonsets: daemonSetStrategy,
  deployments: deploymentStrategy,
  replicasets: replicaSetStrategy,
  statefulsets: statefulSetStrategy,
};
