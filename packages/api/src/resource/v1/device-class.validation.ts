import { type FieldError, FieldPath, invalidField } from '@coracle/apimachinery';
import type { DeviceClass } from '../../generated/types/resource-v1.js';
import { isExtendedResource } from '../../validation/resource-names.js';
import { checkItems, checkOpaque, checkSelector } from './device-parts.validation.js';

const specPath = FieldPath.of('spec');

export function validateDeviceClass({ spec }: DeviceClass): FieldError[] {
  const { selectors, config, extendedResourceName } = spec;
  const badName = extendedResourceName !== undefined && !isExtendedResource(extendedResourceName);
  const detail = 'must be a valid extended resource name';
  return [
    ...checkItems(specPath.child('selectors'), selectors, checkSelector),
    ...checkItems(specPath.child('config'), config, (path, one) => checkOpaque(path.child('opaque'), one.opaque)),
    ...(badName ? [invalidField(specPath.child('extendedResourceName'), extendedResourceName, detail)] : []),
  ];
}
