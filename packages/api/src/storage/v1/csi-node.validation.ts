import {
  duplicateField,
  type FieldError,
  FieldPath,
  invalidField,
  isQualifiedName,
  requiredField,
} from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { CSINode, CSINodeDriver } from '../../generated/types/storage-v1.js';
import { checkDriverName } from '../../validation/driver-name.js';
import { checkNonNegative, checkValue, immutable } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';

const driversPath = FieldPath.of('spec', 'drivers');
const maxNodeIdBytes = 192;

export function validateCsiNode({ spec }: CSINode): FieldError[] {
  const names = new Set<string>();
  return (spec.drivers ?? []).flatMap((driver, index) => {
    const path = driversPath.index(index);
    const repeated = names.has(driver.name) ? [duplicateField(path.child('name'), driver.name)] : [];
    names.add(driver.name);
    return [...checkDriver(path, driver), ...repeated, ...checkTopologyKeys(path, driver.topologyKeys ?? [])];
  });
}

function checkDriver(path: FieldPath, { name, nodeID, allocatable }: CSINodeDriver): FieldError[] {
  const errors = checkDriverName(path.child('name'), name);
  if (!nodeID) errors.push(requiredField(path.child('nodeID')));
  else if (nodeID.length > maxNodeIdBytes) {
    errors.push(invalidField(path.child('nodeID'), nodeID, `must be ${maxNodeIdBytes} characters or less`));
  }
  return [...errors, ...checkNonNegative(path.child('allocatable', 'count'), allocatable?.count)];
}

function checkTopologyKeys(path: FieldPath, keys: readonly string[]): FieldError[] {
  return keys.flatMap((key, index) => [
    ...(key === '' ? [requiredField(path)] : []),
    ...(keys.indexOf(key) < index ? [duplicateField(path, key)] : []),
    ...checkValue(path, key, isQualifiedName),
  ]);
}

/** A driver that stays keeps its node ID and topology; its capacity may change. */
export function validateCsiNodeUpdate(node: CSINode, previous: CSINode): FieldError[] {
  const errors = validateCsiNode(node);
  const before = new Map((previous.spec.drivers ?? []).map((driver) => [driver.name, driver]));
  const changed = (node.spec.drivers ?? []).some((driver) => {
    const old = before.get(driver.name);
    return old && !(old.nodeID === driver.nodeID && deepEqual(old.topologyKeys, driver.topologyKeys));
  });
  if (!changed) return errors;
  const shown = node.spec.drivers.map((driver) => goValue('storage-v1/CSINodeDriver', driver));
  return [...errors, invalidField('CSINode.Spec.Drivers', shown, immutable)];
}
