import {
  type FieldError,
  FieldPath,
  isDns1123Subdomain,
  isPathSegmentName,
  requiredField,
} from '@coracle/apimachinery';
import type { IPAddress, ParentReference } from '../../generated/types/networking-v1.js';
import { checkImmutable, checkRequiredValue, checkValue } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';

const parentPath = FieldPath.of('spec', 'parentRef');

export function validateIpAddress({ spec }: IPAddress): FieldError[] {
  return spec?.parentRef ? checkParent(spec.parentRef) : [requiredField(parentPath)];
}

export function validateIpAddressUpdate(address: IPAddress, previous: IPAddress): FieldError[] {
  const parent = address.spec?.parentRef;
  const shown = goValue('networking-v1/ParentReference', parent);
  return [...validateIpAddress(address), ...checkImmutable(parentPath, parent, previous.spec?.parentRef, shown)];
}

function checkParent({ group, resource, namespace, name }: ParentReference): FieldError[] {
  return [
    ...(group ? checkValue(parentPath.child('group'), group, isDns1123Subdomain) : []),
    ...checkRequiredValue(parentPath.child('resource'), resource, isPathSegmentName),
    ...checkRequiredValue(parentPath.child('name'), name, isPathSegmentName),
    ...(namespace ? checkValue(parentPath.child('namespace'), namespace, isPathSegmentName) : []),
  ];
}
