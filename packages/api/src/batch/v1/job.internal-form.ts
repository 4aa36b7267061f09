import type { InternalTypes } from '../../validation/internal-form.js';

/** Parts of a job as messages print them; see `InternalTypes` for how to read this. */
export const jobTypes: InternalTypes = {
  PodFailurePolicy: 'Rules:[PodFailurePolicyRule]',
  PodFailurePolicyRule: 'Action:s OnExitCodes:*OnExitCodes OnPodConditions:[OnPodConditions]',
  OnExitCodes: 'ContainerName Operator:s Values',
  OnPodConditions: 'Type:s Status:s',
  SuccessPolicy: 'Rules:[SuccessPolicyRule]',
  SuccessPolicyRule: 'SucceededIndexes SucceededCount',
};
