import {
  type FieldError,
  FieldPath,
  invalidField,
  LabelSelector,
  notSupportedField,
  requiredField,
  validateLabelSelector,
} from '@coracle/apimachinery';
import { validatePodTemplateSpec } from '../../core/v1/pod-template.validation.js';
import {
  validateAlwaysRestarted,
  validateNoDeadline,
  validateSelected,
} from '../../core/v1/replication-controller.validation.js';
import type {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetUpdateStrategy,
  RollingUpdateDaemonSet,
} from '../../generated/types/apps-v1.js';
import { checkNonNegative } from '../../validation/field-checks.js';
import { checkAtMost100Percent, checkIntOrPercent, intOrPercentNumber } from '../../validation/int-or-percent.js';
import { toInternalForm } from '../../validation/internal-form.js';
import { checkCollisionCount, checkCounts, checkSameSelector, checkSelectsSome } from './workload.validation.js';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');

export function validateDaemonSet({ spec = {} as DaemonSetSpec }: DaemonSet): FieldError[] {
  const templatePath = specPath.child('template');
  const template = spec.template ?? {};
  return [
    ...validateSelector(spec),
    ...validatePodTemplateSpec(templatePath, template),
    ...validateAlwaysRestarted(templatePath, template),
    ...validateNoDeadline(templatePath, template, 'DaemonSet'),
    ...checkNonNegative(specPath.child('minReadySeconds'), spec.minReadySeconds),
    ...validateUpdateStrategy(specPath.child('updateStrategy'), spec.updateStrategy ?? {}),
    ...checkNonNegative(specPath.child('revisionHistoryLimit'), spec.revisionHistoryLimit),
  ];
}

export function validateDaemonSetUpdate(daemonSet: DaemonSet, previous: DaemonSet): FieldError[] {
  return [
    ...checkSameSelector(specPath.child('selector'), daemonSet.spec?.selector, previous.spec?.selector),
    ...validateDaemonSet(daemonSet),
  ];
}

/** Unlike elsewhere the selector may be absent here; it then selects nothing, and so not the template. */
function validateSelector({ selector, template }: DaemonSetSpec): FieldError[] {
  const path = specPath.child('selector');
  const errors = validateLabelSelector(selector, path);
  if (errors.length === 0) {
    errors.push(...validateSelected(specPath.child('template'), template ?? {}, LabelSelector.fromObject(selector)));
  }
  return selector ? [...errors, ...checkSelectsSome(path, selector, 'daemonset')] : errors;
}

const strategyTypes = {
  DaemonSetUpdateStrategy: 'Type:s RollingUpdate:*RollingUpdate',
  RollingUpdate: 'MaxUnavailable:n MaxSurge:n',
};

function validateUpdateStrategy(path: FieldPath, strategy: DaemonSetUpdateStrategy): FieldError[] {
  const { type, rollingUpdate } = strategy;
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') {
    const shown = toInternalForm(strategy, 'DaemonSetUpdateStrategy', strategyTypes);
    return [notSupportedField(path, shown, ['RollingUpdate', 'OnDelete'])];
  }
  const rollingPath = path.child('rollingUpdate');
  return rollingUpdate ? validateRollingUpdate(rollingPath, rollingUpdate) : [requiredField(rollingPath)];
}

/** Either an old pod is deleted first or a new one is created first, not both. */
function validateRollingUpdate(
  path: FieldPath,
  { maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDaemonSet,
): FieldError[] {
  const unavailablePath = path.child('maxUnavailable');
  const surgePath = path.child('maxSurge');
  const errors = [
    ...checkIntOrPercent(unavailablePath, maxUnavailable),
    ...checkIntOrPercent(surgePath, maxSurge),
    ...checkAtMost100Percent(unavailablePath, maxUnavailable),
    ...checkAtMost100Percent(surgePath, maxSurge),
  ];
  const hasUnavailable = intOrPercentNumber(maxUnavailable) !== 0;
  const hasSurge = intOrPercentNumber(maxSurge) !== 0;
  if (hasUnavailable && hasSurge) {
    errors.push(invalidField(surgePath, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  }
  if (!hasUnavailable && !hasSurge) errors.push(requiredField(unavailablePath, 'cannot be 0 when maxSurge is 0'));
  return errors;
}

export function validateDaemonSetStatusUpdate({ status }: DaemonSet, previous: DaemonSet): FieldError[] {
  const { currentNumberScheduled, numberMisscheduled, desiredNumberScheduled, numberReady } = status ?? {};
  const { observedGeneration, updatedNumberScheduled, numberAvailable, numberUnavailable, collisionCount } =
    status ?? {};
  const counts = {
    currentNumberScheduled,
    numberMisscheduled,
    desiredNumberScheduled,
    numberReady,
    observedGeneration,
    updatedNumberScheduled,
    numberAvailable,
    numberUnavailable,
    collisionCount,
  };
  return [
    ...checkCounts(statusPath, counts, []),
    ...checkCollisionCount(statusPath, collisionCount, previous.status?.collisionCount),
  ];
}
