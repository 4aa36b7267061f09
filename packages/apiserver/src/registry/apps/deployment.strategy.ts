import type { Deployment } from '@coracle/api';
import { deepEqual } from '@coracle/base';
import { templateStrategy } from '../core/pod-template.strategy.js';
import { dropFieldsOf } from '../disabled-fields.js';
import type { Strategy } from '../strategy.js';

/** The number of terminating pods, which replica sets report and deployments sum up. */
export const dropTerminatingReplicas = dropFieldsOf({
  DeploymentReplicaSetTerminatingReplicas: ['status.terminatingReplicas'],
});

/** A change of annotations increases the generation too: the controller copies them to its replica sets. */
export const deploymentStrategy: Strategy<Deployment> = templateStrategy(
  { group: 'apps', version: 'v1', kind: 'Deployment' },
  ({ spec }) => spec?.template,
  {
    dropDisabled: dropTerminatingReplicas,
    statusKeeps: ['labels'],
    prepareForUpdate({ metadata }, { metadata: previous }) {
      if (deepEqual(metadata.annotations ?? {}, previous.annotations ?? {})) return;
      metadata.generation = (previous.generation ?? 0) + 1;
    },
  },
);
