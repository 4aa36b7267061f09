import {
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  LabelSelector,
  notSupportedField,
  requiredField,
} from '@coracle/apimachinery';
import type { PodTemplateSpec, ReplicationController } from '../../generated/types/core-v1.js';
import { checkNonNegative } from '../../validation/field-checks.js';
import { validatePodTemplateSpec } from './pod-template.validation.js';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');

export function validateReplicationController({ spec = {} }: ReplicationController): FieldError[] {
  const selector = LabelSelector.fromLabels(spec.selector);
  return [
    ...checkNonNegative(specPath.child('minReadySeconds'), spec.minReadySeconds),
    ...(selector.isEmpty ? [requiredField(specPath.child('selector'))] : []),
    ...checkNonNegative(specPath.child('replicas'), spec.replicas),
    ...(spec.template
      ? validateControllerTemplate(specPath.child('template'), spec.template, {
          selector,
          kind: 'ReplicationController',
        })
      : [requiredField(specPath.child('template'))]),
  ];
}

export interface ControllerOfPods {
  readonly selector: LabelSelector;
  /** Its name in messages. */
  readonly kind: string;
}

/** A pod template of a controller: its labels match the selector, the pods are always restarted, without a deadline. */
export function validateControllerTemplate(
  path: FieldPath,
  template: PodTemplateSpec,
  { selector, kind }: ControllerOfPods,
): FieldError[] {
  return [
    ...(selector.isEmpty ? [] : validateSelected(path, template, selector)),
    ...validatePodTemplateSpec(path, template),
    ...validateAlwaysRestarted(path, template),
    ...validateNoDeadline(path, template, kind),
  ];
}

export function validateSelected(
  path: FieldPath,
  { metadata }: PodTemplateSpec,
  selector: LabelSelector,
): FieldError[] {
  if (selector.matches(metadata?.labels)) return [];
  const labelsPath = path.child('metadata', 'labels');
  return [invalidField(labelsPath, metadata?.labels ?? null, '`selector` does not match template `labels`')];
}

export function validateAlwaysRestarted(path: FieldPath, { spec }: PodTemplateSpec): FieldError[] {
  const policy = spec?.restartPolicy ?? '';
  return policy === 'Always' ? [] : [notSupportedField(path.child('spec', 'restartPolicy'), policy, ['Always'])];
}

export function validateNoDeadline(path: FieldPath, { spec }: PodTemplateSpec, kind: string): FieldError[] {
  if (spec?.activeDeadlineSeconds === undefined) return [];
  const problem = `activeDeadlineSeconds in ${kind} is not Supported`;
  return [forbiddenField(path.child('spec', 'activeDeadlineSeconds'), problem)];
}

const counts = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'observedGeneration',
] as const;

export function validateReplicationControllerStatusUpdate({ status }: ReplicationController): FieldError[] {
  const {
    replicas = 0,
    fullyLabeledReplicas = 0,
    readyReplicas = 0,
    availableReplicas = 0,
    observedGeneration = 0,
  } = status ?? {};
  const values = { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, observedGeneration };
  const errors = counts.flatMap((field) => checkNonNegative(statusPath.child(field), values[field]));
  for (const field of ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const) {
    if (values[field] <= replicas) continue;
    errors.push(invalidField(statusPath.child(field), values[field], 'cannot be greater than status.replicas'));
  }
  if (availableReplicas <= readyReplicas) return errors;
  const problem = 'cannot be greater than readyReplicas';
  return [...errors, invalidField(statusPath.child('availableReplicas'), availableReplicas, problem)];
}
