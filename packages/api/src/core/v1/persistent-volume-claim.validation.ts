import {
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  notSupportedField,
  parseQuantity,
  requiredField,
  scoped,
  validateLabelSelector,
} from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  TypedLocalObjectReference,
  TypedObjectReference,
} from '../../generated/types/core-v1.js';
import { checkImmutable, checkSupported, checkValue } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';
import { isNativeResource } from '../../validation/resource-names.js';
import { checkPositiveQuantity } from '../../validation/resource-quantity.js';
import { jsonDiff } from '../../validation/unified-diff.js';
import { checkAccessModes, volumeModes } from './persistent-volume.validation.js';

const specPath = FieldPath.of('spec');

export function validatePersistentVolumeClaim(claim: PersistentVolumeClaim): FieldError[] {
  return checkPersistentVolumeClaimSpec(specPath, claim.spec ?? {});
}

export function checkPersistentVolumeClaimSpec(path: FieldPath, spec: PersistentVolumeClaimSpec): FieldError[] {
  const { storageClassName, volumeAttributesClassName, volumeMode } = spec;
  const modes = path.child('accessModes');
  return [
    ...(spec.accessModes?.length ? [] : [requiredField(modes, 'at least 1 access mode is required')]),
    ...validateLabelSelector(spec.selector, path.child('selector')),
    ...checkAccessModes(modes, spec.accessModes),
    ...checkStorage(path.child('resources').key('storage'), spec.resources?.requests?.['storage']),
    ...(storageClassName ? checkValue(path.child('storageClassName'), storageClassName, isDns1123Subdomain) : []),
    ...(volumeMode === undefined ? [] : checkSupported(path.child('volumeMode'), volumeMode, volumeModes)),
    ...checkSources(path, spec),
    ...(volumeAttributesClassName
      ? checkValue(path.child('volumeAttributesClassName'), volumeAttributesClassName, isDns1123Subdomain)
      : []),
  ];
}

function checkStorage(path: FieldPath, quantity: string | undefined): FieldError[] {
  return quantity === undefined ? [requiredField(path)] : checkPositiveQuantity(path, quantity);
}

function checkSources(path: FieldPath, { dataSource, dataSourceRef }: PersistentVolumeClaimSpec): FieldError[] {
  const errors = [
    ...(dataSource ? checkSource(path.child('dataSource'), dataSource) : []),
    ...(dataSourceRef ? checkSource(path.child('dataSourceRef'), dataSourceRef) : []),
  ];
  if (!dataSource || !dataSourceRef) return errors;
  if (dataSourceRef.namespace) {
    errors.push(invalidField(path, {}, 'may not be specified when dataSourceRef.namespace is specified'));
  } else if (!sameSource(dataSource, dataSourceRef)) errors.push(invalidField(path, {}, 'must match dataSourceRef'));
  return errors;
}

function sameSource(source: TypedLocalObjectReference, reference: TypedObjectReference): boolean {
  const sameGroup = source.apiGroup === reference.apiGroup;
  return sameGroup && source.kind === reference.kind && source.name === reference.name;
}

function checkSource(path: FieldPath, source: TypedObjectReference): FieldError[] {
  const { name, kind, apiGroup, namespace } = source;
  const errors: FieldError[] = [];
  if (!name) errors.push(requiredField(path.child('name')));
  if (!kind) errors.push(requiredField(path.child('kind')));
  if (!apiGroup && kind !== 'PersistentVolumeClaim') {
    const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    errors.push(invalidField(path, kind, detail));
  }
  if (apiGroup) {
    const found = checkValue(path.child('apiGroup'), apiGroup, isDns1123Subdomain);
    errors.push(...scoped(found, { newRule: 'groups of data sources' }));
  }
  if (namespace) errors.push(...checkValue(path.child('namespace'), namespace, isDns1123Label));
  return errors;
}

export function validatePersistentVolumeClaimUpdate(
  claim: PersistentVolumeClaim,
  previous: PersistentVolumeClaim,
): FieldError[] {
  const spec = claim.spec ?? {};
  const before = previous.spec ?? {};
  return [
    ...validatePersistentVolumeClaim(claim),
    ...checkClassAnnotation(claim, previous),
    ...checkSameSpec(claim, previous),
    ...checkSize(claim, previous),
    ...checkImmutable(FieldPath.of('volumeMode'), spec.volumeMode, before.volumeMode),
    ...checkAttributesClassChange(spec.volumeAttributesClassName, before.volumeAttributesClassName),
  ];
}

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

function checkClassAnnotation(claim: PersistentVolumeClaim, previous: PersistentVolumeClaim): FieldError[] {
  if (upgradesFromAnnotation(claim, previous)) return [];
  const path = FieldPath.of('metadata', 'annotations', classAnnotation);
  const value = claim.metadata.annotations?.[classAnnotation] ?? '';
  return checkImmutable(path, value, previous.metadata.annotations?.[classAnnotation] ?? '');
}

/** From the class in the annotation to the same class in the field. */
function upgradesFromAnnotation(claim: PersistentVolumeClaim, previous: PersistentVolumeClaim): boolean {
  const old = previous.metadata.annotations?.[classAnnotation];
  const current = claim.metadata.annotations?.[classAnnotation];
  return (
    old !== undefined &&
    previous.spec?.storageClassName === undefined &&
    claim.spec?.storageClassName === old &&
    (current === undefined || current === old)
  );
}

/** The request of a claim is immutable: only its size, its attributes and what was left open may change. */
function checkSameSpec(claim: PersistentVolumeClaim, previous: PersistentVolumeClaim): FieldError[] {
  const before: PersistentVolumeClaimSpec = { ...previous.spec };
  const after: PersistentVolumeClaimSpec = { ...claim.spec };
  if (!before.volumeName) copyField(before, after, 'volumeName');
  const annotated = previous.metadata.annotations?.[classAnnotation];
  if (upgradesFromAnnotation(claim, previous)) delete after.storageClassName;
  else if (before.storageClassName === undefined && (annotated === undefined || annotated === after.storageClassName)) {
    if (after.storageClassName !== undefined) delete after.storageClassName;
  }
  if (claim.status?.phase === 'Bound') allowBoundChanges(after, before);
  if (deepEqual(after, before)) return [];
  const diff = jsonDiff(printedSpec(before), printedSpec(after));
  const rule =
    'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
  return [forbiddenField('spec', `${rule}\n${diff}`)];
}

function printedSpec(spec: PersistentVolumeClaimSpec): unknown {
  return goValue('core-v1/PersistentVolumeClaimSpec', spec);
}

function copyField<T extends object>(target: T, source: T, field: keyof T): void {
  if (source[field] === undefined) delete target[field];
  else target[field] = source[field];
}

function allowBoundChanges(after: PersistentVolumeClaimSpec, before: PersistentVolumeClaimSpec): void {
  const storage = before.resources?.requests?.['storage'];
  if (after.resources?.requests && storage !== undefined) {
    after.resources = { ...after.resources, requests: { ...after.resources.requests, storage } };
  }
  if (after.volumeAttributesClassName !== undefined) copyField(after, before, 'volumeAttributesClassName');
}

/** A claim may shrink only as far as an expansion that has not happened yet. */
function checkSize(claim: PersistentVolumeClaim, previous: PersistentVolumeClaim): FieldError[] {
  const size = storageOf(claim.spec?.resources?.requests);
  if (size.compare(storageOf(previous.spec?.resources?.requests)) >= 0) return [];
  if (size.compare(storageOf(previous.status?.capacity)) > 0) return [];
  return [forbiddenField('spec.resources.requests.storage', 'field can not be less than status.capacity')];
}

function storageOf(resources: Readonly<Record<string, string>> | undefined) {
  return parseQuantity(resources?.['storage'] ?? '0');
}

function checkAttributesClassChange(name: string | undefined, previous: string | undefined): FieldError[] {
  if (previous === undefined || name === previous) return [];
  const field = 'spec.volumeAttributesClassName';
  if (name === undefined) return [forbiddenField(field, 'update from non-nil value to nil is forbidden')];
  if (name === '') return [forbiddenField(field, 'update from non-nil value to an empty string is forbidden')];
  return [];
}

const resizeStates = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

export function validatePersistentVolumeClaimStatusUpdate({ spec, status = {} }: PersistentVolumeClaim): FieldError[] {
  const states = FieldPath.of('status', 'allocatedResourceStatus');
  const allocated = FieldPath.of('status', 'allocatedResources');
  return [
    ...(spec?.accessModes?.length ? [] : [requiredField(FieldPath.of('Spec', 'accessModes'))]),
    ...checkAmounts(FieldPath.of('status', 'capacity'), status.capacity),
    ...Object.entries(status.allocatedResourceStatuses ?? {}).flatMap(([name, state]) => [
      ...checkClaimResourceName(states, name),
      ...(resizeStates.includes(state) ? [] : [notSupportedField(states, name, resizeStates)]),
    ]),
    ...Object.entries(status.allocatedResources ?? {}).flatMap(([name, quantity]) => {
      const errors = checkClaimResourceName(allocated, name);
      return errors.length > 0 ? errors : checkAmounts(allocated, { [name]: quantity });
    }),
  ];
}

function checkAmounts(path: FieldPath, amounts: Readonly<Record<string, string>> = {}): FieldError[] {
  return Object.entries(amounts).flatMap(([name, quantity]) => {
    const value = parseQuantity(quantity).value();
    return value < 0 ? [invalidField(path.key(name), value, 'must be a valid resource quantity')] : [];
  });
}

/** Of the cluster's own resources a claim has storage alone. */
function checkClaimResourceName(path: FieldPath, name: string): FieldError[] {
  const errors = checkValue(path, name, isQualifiedName);
  if (errors.length > 0 || !isNativeResource(name) || name === 'storage') return errors;
  return [notSupportedField(path, name, ['storage'])];
}
