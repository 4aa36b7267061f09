import type { schedulingv1alpha2 } from '@coracle/api';
import { dropFieldsOf, type GatedFields } from '../disabled-fields.js';
import type { Strategy } from '../strategy.js';

function fieldsUnder(path: string): GatedFields {
  return {
    DRAWorkloadResourceClaims: [`${path}.resourceClaims`],
    TopologyAwareWorkloadScheduling: [`${path}.schedulingConstraints`],
    WorkloadAwarePreemption: [`${path}.disruptionMode`, `${path}.priority`, `${path}.priorityClassName`],
  };
}

export const podGroupStrategy: Strategy<schedulingv1alpha2.PodGroup> = {
  dropDisabled: dropFieldsOf(fieldsUnder('spec')),
  hasGeneration: true,
};

export const workloadStrategy: Strategy<schedulingv1alpha2.Workload> = {
  dropDisabled: dropFieldsOf(fieldsUnder('spec.podGroupTemplates')),
  hasGeneration: true,
};
