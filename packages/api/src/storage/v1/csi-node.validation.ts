import {
  byteLength,
  duplicateField,
  type FieldError,
  FieldPath,
  invalidField,
  isQualifiedName,
  requiredField,
} from '@coracle/apimachinery';
import type { CSINode, CSINodeDriver } from '../../generated/types/storage-v1.js';
import { checkDriverName } from '../../validation/driver-name.js';
import { checkImmutable, checkNonNegative, checkValue } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';

const driversPath = FieldPath.of('spec', 'drivers');
const maxNodeIdBytes = 256;

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
  else if (byteLength(nodeID) > maxNodeIdBytes) {
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
  const drivers = (node.spec.drivers ?? []).map(withoutCapacity);
  return [
    ...validateCsiNode(node),
    ...(previous.spec.drivers ?? [])
      .map(withoutCapacity)
      .flatMap((old) =>
        drivers
          .filter(({ name }) => name === old.name)
          .flatMap((driver) => checkImmutable(driversPath, driver, old, goValue('storage-v1/CSINodeDriver', driver))),
      ),
  ];
}

function withoutCapacity({ allocatable: _, ...driver }: CSINodeDriver): CSINodeDriver {
  return driver;
}
