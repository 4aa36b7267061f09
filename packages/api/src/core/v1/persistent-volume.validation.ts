import {
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  isDns1123Subdomain,
  notSupportedField,
  parseQuantity,
  requiredField,
  scoped,
} from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type {
  NodeSelectorRequirement,
  PersistentVolume,
  PersistentVolumeSpec,
  VolumeNodeAffinity,
} from '../../generated/types/core-v1.js';
import { checkImmutable, checkSupported, checkValue, immutable } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';
import { checkNodeSelector } from '../../validation/node-selector.js';
import { checkPositiveQuantity } from '../../validation/resource-quantity.js';
import { jsonDiff } from '../../validation/unified-diff.js';
import { checkPersistentVolumeSource, sourceOf } from './persistent-volume-source.validation.js';

const accessModes: readonly string[] = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const volumeModes: readonly string[] = ['Block', 'Filesystem'];
const reclaimPolicies = ['Delete', 'Recycle', 'Retain'];

export function validatePersistentVolume(volume: PersistentVolume): FieldError[] {
  return checkPersistentVolumeSpec(FieldPath.of('spec'), volume.spec ?? {}, volume.metadata.name);
}

export function validatePersistentVolumeUpdate(volume: PersistentVolume, previous: PersistentVolume): FieldError[] {
  const spec = volume.spec ?? {};
  const before = previous.spec ?? {};
  return [
    // Upstream checks the whole volume, then the change, and with it the volume again.
    ...validatePersistentVolume(volume),
    ...validatePersistentVolume(volume),
    ...checkSameSource(spec, before),
    ...checkImmutable(FieldPath.of('volumeMode'), spec.volumeMode, before.volumeMode),
    ...checkSameAffinity(spec.nodeAffinity, before.nodeAffinity),
    ...checkAttributesClassChange(spec, before),
  ];
}

function checkPersistentVolumeSpec(path: FieldPath, spec: PersistentVolumeSpec, name?: string): FieldError[] {
  return [
    ...(spec.accessModes?.length ? [] : [requiredField(path.child('accessModes'))]),
    ...checkAccessModes(path.child('accessModes'), spec.accessModes),
    ...checkCapacity(path.child('capacity'), spec.capacity),
    ...checkSupported(
      path.child('persistentVolumeReclaimPolicy'),
      spec.persistentVolumeReclaimPolicy ?? 'Retain',
      reclaimPolicies,
    ),
    ...checkAffinity(path.child('nodeAffinity'), spec.nodeAffinity),
    ...checkPersistentVolumeSource(path, spec, name),
    ...checkRecycledRoot(path, spec),
    ...(spec.storageClassName
      ? checkValue(path.child('storageClassName'), spec.storageClassName, isDns1123Subdomain)
      : []),
    ...(spec.volumeMode === undefined ? [] : checkSupported(path.child('volumeMode'), spec.volumeMode, volumeModes)),
    ...checkAttributesClass(path, spec),
  ];
}

/** A volume in a VolumeAttachment: the driver's part of the spec, without fields for claims. */
export function checkInlineVolumeSpec(path: FieldPath, spec: PersistentVolumeSpec): FieldError[] {
  const inline = 'may not be specified in the context of inline volumes';
  const errors: FieldError[] = [];
  if (spec.claimRef) errors.push(forbiddenField(path.child('claimRef'), inline));
  if (Object.keys(spec.capacity ?? {}).length > 0) errors.push(forbiddenField(path.child('capacity'), inline));
  if (!spec.csi) errors.push(requiredField(path.child('csi'), 'has to be specified in the context of inline volumes'));
  if (!spec.accessModes?.length) errors.push(requiredField(path.child('accessModes')));
  errors.push(...checkAccessModes(path.child('accessModes'), spec.accessModes));
  if (spec.persistentVolumeReclaimPolicy && spec.persistentVolumeReclaimPolicy !== 'Retain') {
    const detail = 'may only be Retain in the context of inline volumes';
    errors.push(forbiddenField(path.child('persistentVolumeReclaimPolicy'), detail));
  }
  if (spec.nodeAffinity) errors.push(forbiddenField(path.child('nodeAffinity'), inline));
  errors.push(...checkPersistentVolumeSource(path, spec));
  if (spec.storageClassName) errors.push(forbiddenField(path.child('storageClassName'), inline));
  if (spec.volumeMode !== undefined && spec.volumeMode !== 'Filesystem') {
    const detail = 'may not specify volumeMode other than Filesystem in the context of inline volumes';
    errors.push(forbiddenField(path.child('volumeMode'), detail));
  }
  return [...errors, ...checkAttributesClass(path, spec)];
}

/** A volume with ReadWriteOncePod has no other access mode. */
export function checkAccessModes(path: FieldPath, modes: readonly string[] = []): FieldError[] {
  const errors = modes.flatMap((mode) => checkSupported(path, mode, accessModes));
  const others = modes.some((mode) => mode !== 'ReadWriteOncePod' && accessModes.includes(mode));
  if (others && modes.includes('ReadWriteOncePod')) {
    errors.push(forbiddenField(path, 'may not use ReadWriteOncePod with other access modes'));
  }
  return errors;
}

function checkCapacity(path: FieldPath, capacity: Readonly<Record<string, string>> | undefined): FieldError[] {
  const names = Object.keys(capacity ?? {});
  const errors = names.length === 0 ? [requiredField(path)] : [];
  if (!names.includes('storage') || names.length > 1) errors.push(notSupportedField(path, capacity, ['storage']));
  for (const name of names) {
    const quantity = capacity?.[name] ?? '0';
    const value = parseQuantity(quantity).value();
    if (value < 0) errors.push(invalidField(path.key(name), value, 'must be a valid resource quantity'));
    errors.push(...checkPositiveQuantity(path.key(name), quantity));
  }
  return errors;
}

function checkAffinity(path: FieldPath, affinity: VolumeNodeAffinity | undefined): FieldError[] {
  if (!affinity) return [];
  if (affinity.required) return checkNodeSelector(path.child('required'), affinity.required);
  return [requiredField(path.child('required'), 'must specify required node constraints')];
}

/** Recycling empties the volume: not the whole machine. */
function checkRecycledRoot(path: FieldPath, spec: PersistentVolumeSpec): FieldError[] {
  if (!spec.hostPath || !isRootPath(spec.hostPath.path ?? '') || spec.persistentVolumeReclaimPolicy !== 'Recycle')
    return [];
  const detail = "may not be 'recycle' for a hostPath mount of '/'";
  return [forbiddenField(path.child('persistentVolumeReclaimPolicy'), detail)];
}

function isRootPath(path: string): boolean {
  const steps: string[] = [];
  for (const step of path.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return path.startsWith('/') && steps.length === 0;
}

function checkAttributesClass(path: FieldPath, spec: PersistentVolumeSpec): FieldError[] {
  const name = spec.volumeAttributesClassName;
  if (name === undefined) return [];
  const field = path.child('volumeAttributesClassName');
  const errors =
    name === '' ? [requiredField(field, 'an empty string is disallowed')] : checkValue(field, name, isDns1123Subdomain);
  if (!spec.csi) {
    errors.push(requiredField(path.child('csi'), 'has to be specified when using volumeAttributesClassName'));
  }
  return errors;
}

/** The source stays as it was created; a secret for expansion may be added once. */
function checkSameSource(spec: PersistentVolumeSpec, previous: PersistentVolumeSpec): FieldError[] {
  const after = withoutAddedExpandSecret(sourceOf(spec), previous);
  const before = sourceOf(previous);
  if (deepEqual(after, before)) return [];
  const diff = jsonDiff(printedSource(before), printedSource(after));
  const detail = `spec.persistentvolumesource is immutable after creation\n${diff}`;
  return [forbiddenField('spec.persistentvolumesource', detail)];
}

function withoutAddedExpandSecret(source: PersistentVolumeSpec, previous: PersistentVolumeSpec): PersistentVolumeSpec {
  if (!source.csi?.controllerExpandSecretRef || !previous.csi || previous.csi.controllerExpandSecretRef) return source;
  const { controllerExpandSecretRef: _, ...csi } = source.csi;
  return { ...source, csi };
}

const notSource: ReadonlySet<string> = new Set([
  'Capacity',
  'AccessModes',
  'ClaimRef',
  'PersistentVolumeReclaimPolicy',
  'StorageClassName',
  'MountOptions',
  'VolumeMode',
  'NodeAffinity',
  'VolumeAttributesClassName',
]);

/** Upstream has the source in a struct of its own, in this order of fields. */
function printedSource(source: PersistentVolumeSpec): Record<string, unknown> {
  const printed = goValue('core-v1/PersistentVolumeSpec', source) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(printed).filter(([name]) => !notSource.has(name)));
}

const stableLabels: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
};

function checkSameAffinity(
  affinity: VolumeNodeAffinity | undefined,
  previous: VolumeNodeAffinity | undefined,
): FieldError[] {
  if (!previous || deepEqual(affinity, withStableLabels(previous, affinity))) return [];
  const shown = goValue('core-v1/VolumeNodeAffinity', affinity);
  const problem = `${immutable}, except for updating from beta label to GA`;
  return scoped([invalidField('nodeAffinity', shown, problem)], { whileOff: 'MutablePVNodeAffinity' });
}

/** `previous` with those beta labels renamed that have their stable name in `affinity`. */
function withStableLabels(previous: VolumeNodeAffinity, affinity: VolumeNodeAffinity | undefined): VolumeNodeAffinity {
  const terms = previous.required?.nodeSelectorTerms.map((term, termIndex) => {
    if (!term.matchExpressions) return term;
    const other = affinity?.required?.nodeSelectorTerms?.[termIndex];
    const renamed = term.matchExpressions.map((one, index) => rename(one, other?.matchExpressions?.[index]));
    return { ...term, matchExpressions: renamed };
  });
  return terms ? { ...previous, required: { ...previous.required, nodeSelectorTerms: terms } } : previous;
}

function rename(old: NodeSelectorRequirement, current: NodeSelectorRequirement | undefined): NodeSelectorRequirement {
  const stable = stableLabels[old.key];
  return stable !== undefined && stable === current?.key ? { ...old, key: stable } : old;
}

function checkAttributesClassChange(spec: PersistentVolumeSpec, previous: PersistentVolumeSpec): FieldError[] {
  if (previous.volumeAttributesClassName === undefined || spec.volumeAttributesClassName !== undefined) return [];
  return [forbiddenField('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden')];
}
