import type { ReplicationController } from '@coracle/api';
import type { Strategy } from '../strategy.js';
import { templateStrategy } from './pod-template.strategy.js';

/** By default pods of a deleted controller are orphaned, for compatibility. */
export const replicationControllerStrategy: Strategy<ReplicationController> = templateStrategy(
  { group: '', version: 'v1', kind: 'ReplicationController' },
  ({ spec }) => spec?.template,
  {
    defaultPropagation: 'Orphan',
    selectableFields: { 'status.replicas': ({ status }) => String(status?.replicas ?? 0) },
  },
);
