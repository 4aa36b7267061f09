import {
  byteLength,
  duplicateField,
  type FieldError,
  FieldPath,
  invalidField,
  isQualifiedName,
  requiredField,
  tooLongField,
} from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { TopologySelectorLabelRequirement, TopologySelectorTerm } from '../../generated/types/core-v1.js';
import type { StorageClass } from '../../generated/types/storage-v1.js';
import { checkGivenSupported, checkImmutable, checkSupported, checkValue } from '../../validation/field-checks.js';

const maxParameters = 512;
const maxParameterBytes = 256 * 1024;

export function validateStorageClass(storageClass: StorageClass): FieldError[] {
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode, allowedTopologies = [] } = storageClass;
  const modes = ['Immediate', 'WaitForFirstConsumer'];
  return [
    ...checkProvisioner(FieldPath.of('provisioner'), provisioner),
    ...checkParameters(FieldPath.of('parameters'), parameters),
    // An empty policy is allowed; the provisioner of the volume decides what it means.
    ...(reclaimPolicy ? checkSupported(FieldPath.of('reclaimPolicy'), reclaimPolicy, ['Delete', 'Retain']) : []),
    ...checkGivenSupported(FieldPath.of('volumeBindingMode'), volumeBindingMode, modes),
    ...checkTopologies(FieldPath.of('allowedTopologies'), allowedTopologies),
  ];
}

const fixedFields = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const;

export function validateStorageClassUpdate(storageClass: StorageClass, previous: StorageClass): FieldError[] {
  return [
    ...validateStorageClass(storageClass),
    ...fixedFields.flatMap((field) => checkImmutable(FieldPath.of(field), storageClass[field], previous[field])),
  ];
}

/** The name of a provisioner or driver: a qualified name, case-insensitively. */
export function checkProvisioner(path: FieldPath, name: string | undefined): FieldError[] {
  return name ? checkValue(path, name.toLowerCase(), isQualifiedName) : [requiredField(path)];
}

export function checkParameters(path: FieldPath, parameters: Readonly<Record<string, string>> = {}): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > maxParameters) return [tooLongField(path, maxParameters)];
  const errors = entries.flatMap(([key]) => (key === '' ? [invalidField(path, key, 'field can not be empty.')] : []));
  const size = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  return size > maxParameterBytes ? [...errors, tooLongField(path, maxParameterBytes)] : errors;
}

/** Which values each key may have. */
type Topology = Readonly<Record<string, readonly string[]>>;

/** An empty term and a repeated one are both reported as duplicates, the empty one of each other term. */
function checkTopologies(path: FieldPath, terms: readonly TopologySelectorTerm[]): FieldError[] {
  const seen: Topology[] = terms.map(() => ({}));
  return terms.flatMap((term, index) => {
    const at = path.index(index).child('matchLabelExpressions');
    const expressions = term.matchLabelExpressions ?? [];
    const topology: Record<string, string[]> = {};
    const errors = expressions.flatMap((expression, i) => {
      const found = checkExpression(at.index(i), expression);
      if (Object.hasOwn(topology, expression.key)) found.push(duplicateField(at.index(i).child('key'), expression.key));
      topology[expression.key] = [...new Set(expression.values)].sort();
      return found;
    });
    const repeats = seen.filter((other) => deepEqual(other, topology)).map(() => duplicateField(at, ''));
    seen.push(topology);
    return [...errors, ...repeats];
  });
}

function checkExpression(path: FieldPath, expression: TopologySelectorLabelRequirement): FieldError[] {
  const values = expression.values ?? [];
  const errors = values.length === 0 ? [requiredField(path.child('values'))] : [];
  for (const [index, value] of values.entries()) {
    if (values.indexOf(value) < index) errors.push(duplicateField(path.child('values').index(index), value));
  }
  return [...errors, ...checkValue(path.child('key'), expression.key, isQualifiedName)];
}
