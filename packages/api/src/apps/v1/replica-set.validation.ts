import { type FieldError, FieldPath } from '@coracle/apimachinery';
import type { ReplicaSet, ReplicaSetSpec } from '../../generated/types/apps-v1.js';
import { checkNonNegative } from '../../validation/field-checks.js';
import { checkCounts, checkReplicatedPods, checkSameSelector } from './workload.validation.js';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');

export function validateReplicaSet({ spec = {} as ReplicaSetSpec }: ReplicaSet): FieldError[] {
  return [
    ...checkNonNegative(specPath.child('replicas'), spec.replicas),
    ...checkNonNegative(specPath.child('minReadySeconds'), spec.minReadySeconds),
    ...checkReplicatedPods(specPath, spec),
  ];
}

export function validateReplicaSetUpdate(replicaSet: ReplicaSet, previous: ReplicaSet): FieldError[] {
  return [
    ...validateReplicaSet(replicaSet),
    ...checkSameSelector(specPath.child('selector'), replicaSet.spec?.selector, previous.spec?.selector),
  ];
}

const ofReplicas = 'cannot be greater than status.replicas';

export function validateReplicaSetStatusUpdate({ status }: ReplicaSet): FieldError[] {
  const { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, terminatingReplicas, observedGeneration } =
    status ?? {};
  const counts = {
    replicas,
    fullyLabeledReplicas,
    readyReplicas,
    availableReplicas,
    terminatingReplicas,
    observedGeneration,
  };
  return checkCounts(statusPath, counts, [
    ['fullyLabeledReplicas', 'replicas', ofReplicas],
    ['readyReplicas', 'replicas', ofReplicas],
    ['availableReplicas', 'replicas', ofReplicas],
    ['availableReplicas', 'readyReplicas', 'cannot be greater than readyReplicas'],
  ]);
}
