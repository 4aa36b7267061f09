import { type FieldError, FieldPath, forbiddenField, invalidField, requiredField } from '@coracle/apimachinery';
import { deepCopy, deepEqual } from '@coracle/base';
import type { Affinity, Container, Pod, PodSchedulingGate, PodSpec } from '../../generated/types/core-v1.js';
import { takeField } from '../../validation/take-field.js';
import { jsonDiff } from '../../validation/unified-diff.js';
import { validateImageSpaces } from './container.validation.js';
import { podSpecInternalForm } from './pod.internal-form.js';
import { validatePodContent } from './pod.validation.js';
import { validatePodAnnotationUpdate } from './pod-annotations.validation.js';
import { validateGatedAffinity, validateGatedNodeSelector } from './pod-gated-update.validation.js';
import { validateAddedTolerations } from './toleration.validation.js';

const specPath = FieldPath.of('spec');
const annotationsPath = FieldPath.of('metadata', 'annotations');

/** Little of a pod's spec may change after its creation, because its containers are running. */
export function validatePodUpdate(
  pod: Pod,
  previous: Pod,
  content: readonly FieldError[] = validatePodContent(pod),
): FieldError[] {
  const errors = [
    ...content,
    ...validatePodAnnotationUpdate(annotationsPath, pod.metadata.annotations, previous.metadata.annotations),
  ];
  const spec = pod.spec ?? { containers: [] };
  const old = previous.spec ?? { containers: [] };
  // Metadata that is valid by itself is valid beside the rest.
  if (spec === old && errors.length === 0) return errors;
  for (const list of ['containers', 'initContainers'] as const) {
    const found = validateImages(specPath.child(list), spec[list] ?? [], old[list] ?? []);
    errors.push(...found.errors);
    if (found.stop) return errors;
  }
  const deadline = validateDeadline(specPath.child('activeDeadlineSeconds'), spec, old);
  errors.push(...deadline.errors);
  if (deadline.stop) return errors;
  errors.push(
    ...validateAddedTolerations(specPath.child('tolerations'), spec.tolerations, old.tolerations),
    ...validateRemovedGates(specPath.child('schedulingGates'), spec.schedulingGates, old.schedulingGates),
  );
  return deepEqual(spec, old) ? errors : [...errors, ...validateRest(spec, old)];
}

interface Stage {
  readonly errors: FieldError[];
  /** What comes after would only repeat it. */
  readonly stop: boolean;
}

function validateImages(path: FieldPath, containers: readonly Container[], previous: readonly Container[]): Stage {
  if (containers.length !== previous.length) {
    return { errors: [forbiddenField(path, 'pod updates may not add or remove containers')], stop: true };
  }
  const errors = containers.flatMap((container, index) => [
    ...(container.image ? [] : [requiredField(path.index(index).child('image'))]),
    ...validateImageSpaces(path.index(index), container),
  ]);
  return { errors, stop: false };
}

/** A deadline may be set and brought nearer, but not lifted. */
function validateDeadline(path: FieldPath, spec: PodSpec, previous: PodSpec): Stage {
  const deadline = spec.activeDeadlineSeconds;
  const old = previous.activeDeadlineSeconds;
  if (deadline === undefined) {
    if (old === undefined) return { errors: [], stop: false };
    return { errors: [invalidField(path, null, 'must not update from a positive integer to nil value')], stop: false };
  }
  if (deadline < 0 || deadline > 2147483647) {
    return { errors: [invalidField(path, deadline, 'must be between 0 and 2147483647, inclusive')], stop: true };
  }
  if (old === undefined || old >= deadline) return { errors: [], stop: false };
  return { errors: [invalidField(path, deadline, 'must be less than or equal to previous value')], stop: true };
}

function validateRemovedGates(
  path: FieldPath,
  gates: readonly PodSchedulingGate[] = [],
  previous: readonly PodSchedulingGate[] = [],
): FieldError[] {
  return gates.flatMap(({ name }, index) => {
    if (previous.some((old) => old.name === name)) return [];
    const problem = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return [forbiddenField(path.index(index).child('name'), problem)];
  });
}

const updatableFields = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

/** All fields that were not validated separately must be unchanged. */
function validateRest(spec: PodSpec, previous: PodSpec): FieldError[] {
  const rest = withUpdatableFieldsOf(spec, previous);
  const errors: FieldError[] = [];
  if (previous.schedulingGates?.length) {
    errors.push(...validateGatedNodeSelector(specPath.child('nodeSelector'), rest, previous));
    errors.push(...validateGatedAffinity(specPath.child('affinity', 'nodeAffinity'), rest, previous));
    takeGatedFields(rest, previous);
  }
  if (deepEqual(rest, previous)) return errors;
  const diff = jsonDiff(podSpecInternalForm(previous), podSpecInternalForm(rest));
  return [
    ...errors,
    forbiddenField(specPath, `pod updates may not change fields other than ${updatableFields}\n${diff}`),
  ];
}

function withUpdatableFieldsOf(spec: PodSpec, previous: PodSpec): PodSpec {
  const rest = deepCopy(spec);
  for (const list of ['containers', 'initContainers'] as const) {
    for (const [index, container] of (rest[list] ?? []).entries()) {
      takeField(container, previous[list]?.[index] ?? { name: '' }, 'image');
    }
  }
  takeField(rest, previous, 'activeDeadlineSeconds');
  takeField(rest, previous, 'schedulingGates');
  takeField(rest, previous, 'tolerations');
  const grace = previous.terminationGracePeriodSeconds;
  if (grace !== undefined && grace < 0 && rest.terminationGracePeriodSeconds === 1) {
    rest.terminationGracePeriodSeconds = grace;
  }
  return rest;
}

/** The node selector and node affinity of a gated pod may still change. */
function takeGatedFields(rest: PodSpec, previous: PodSpec): void {
  takeField(rest, previous, 'nodeSelector');
  const affinity: Affinity = { ...rest.affinity };
  takeField(affinity, previous.affinity ?? {}, 'nodeAffinity');
  if (Object.keys(affinity).length > 0 || previous.affinity) rest.affinity = affinity;
  else delete rest.affinity;
}
