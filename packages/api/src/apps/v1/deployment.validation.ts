import {
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  notSupportedField,
  requiredField,
} from '@coracle/apimachinery';
import type {
  Deployment,
  DeploymentSpec,
  DeploymentStrategy,
  RollingUpdateDeployment,
} from '../../generated/types/apps-v1.js';
import { checkNonNegative } from '../../validation/field-checks.js';
import { checkAtMost100Percent, checkIntOrPercent, intOrPercentNumber } from '../../validation/int-or-percent.js';
import { toInternalForm } from '../../validation/internal-form.js';
import { checkCollisionCount, checkCounts, checkReplicatedPods, checkSameSelector } from './workload.validation.js';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');

export function validateDeployment({ spec = {} as DeploymentSpec }: Deployment): FieldError[] {
  return [
    ...checkNonNegative(specPath.child('replicas'), spec.replicas),
    ...checkReplicatedPods(specPath, spec),
    ...validateStrategy(specPath.child('strategy'), spec.strategy ?? {}),
    ...checkNonNegative(specPath.child('minReadySeconds'), spec.minReadySeconds),
    ...checkNonNegative(specPath.child('revisionHistoryLimit'), spec.revisionHistoryLimit),
    ...validateProgressDeadline(specPath.child('progressDeadlineSeconds'), spec),
  ];
}

export function validateDeploymentUpdate(deployment: Deployment, previous: Deployment): FieldError[] {
  return [
    ...validateDeployment(deployment),
    ...checkSameSelector(specPath.child('selector'), deployment.spec?.selector, previous.spec?.selector),
  ];
}

const strategyTypes = {
  DeploymentStrategy: 'Type:s RollingUpdate:*RollingUpdate',
  RollingUpdate: 'MaxUnavailable:n MaxSurge:n',
};

function validateStrategy(path: FieldPath, strategy: DeploymentStrategy): FieldError[] {
  const { type, rollingUpdate } = strategy;
  const rollingPath = path.child('rollingUpdate');
  if (type === 'Recreate') {
    if (!rollingUpdate) return [];
    return [forbiddenField(rollingPath, "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (type !== 'RollingUpdate') {
    const shown = toInternalForm(strategy, 'DeploymentStrategy', strategyTypes);
    return [notSupportedField(path, shown, ['Recreate', 'RollingUpdate'])];
  }
  if (!rollingUpdate) return [requiredField(rollingPath, 'this should be defaulted and never be nil')];
  return validateRollingUpdate(rollingPath, rollingUpdate);
}

function validateRollingUpdate(
  path: FieldPath,
  { maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDeployment,
): FieldError[] {
  const unavailablePath = path.child('maxUnavailable');
  const errors = [
    ...checkIntOrPercent(unavailablePath, maxUnavailable),
    ...checkIntOrPercent(path.child('maxSurge'), maxSurge),
  ];
  if (intOrPercentNumber(maxUnavailable) === 0 && intOrPercentNumber(maxSurge) === 0) {
    errors.push(invalidField(unavailablePath, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  }
  return [...errors, ...checkAtMost100Percent(unavailablePath, maxUnavailable)];
}

function validateProgressDeadline(path: FieldPath, spec: DeploymentSpec): FieldError[] {
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  if (deadline === undefined) return [];
  const errors = checkNonNegative(path, deadline);
  return deadline > minReadySeconds
    ? errors
    : [...errors, invalidField(path, deadline, 'must be greater than minReadySeconds')];
}

const ofReplicas = 'cannot be greater than status.replicas';

export function validateDeploymentStatusUpdate({ status = {} }: Deployment, previous: Deployment): FieldError[] {
  const { observedGeneration, replicas, updatedReplicas, readyReplicas, availableReplicas, unavailableReplicas } =
    status;
  const { terminatingReplicas, collisionCount } = status;
  const counts = {
    observedGeneration,
    replicas,
    updatedReplicas,
    readyReplicas,
    availableReplicas,
    unavailableReplicas,
    terminatingReplicas,
    collisionCount,
  };
  return [
    ...checkCounts(statusPath, counts, [
      ['updatedReplicas', 'replicas', ofReplicas],
      ['readyReplicas', 'replicas', ofReplicas],
      ['availableReplicas', 'replicas', ofReplicas],
      ['availableReplicas', 'readyReplicas', 'cannot be greater than readyReplicas'],
    ]),
    ...checkCollisionCount(statusPath, collisionCount, previous.status?.collisionCount),
  ];
}
