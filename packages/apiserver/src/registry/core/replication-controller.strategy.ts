import type { ReplicationController } from '@coracle/api';
import type { Strategy } from '../strategy.js';
import { templateStrategy } from './pod-template.strategy.js';

/** Pods outlive their controller unless the client says otherwise, as they did before there was a choice. */
export const replicationControllerStrategy: Strategy<ReplicationController> = templateStrategy(
  { group: '', version: 'v1', kind: 'ReplicationController' },
  ({ spec }) => spec?.template,
  {
    defaultPropagation: 'Orphan',
    selectableFields: { 'status.replicas': ({ status }) => String(status?.replicas ?? 0) },
  },
);
