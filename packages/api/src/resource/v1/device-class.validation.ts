import { type FieldError, FieldPath, invalidField } from '@coracle/apimachinery';
import type { DeviceClass } from '../../generated/types/resource-v1.js';
import { isExtendedResource } from '../../validation/resource-names.js';
import { checkLimited, checkOpaque, checkSelectors, maxItems } from './device-parts.validation.js';

const specPath = FieldPath.of('spec');

export function validateDeviceClass({ spec }: DeviceClass): FieldError[] {
  const { selectors, config, extendedResourceName } = spec;
  const badName = extendedResourceName !== undefined && !isExtendedResource(extendedResourceName);
  const detail = 'must be a valid extended resource name';
  return [
    ...checkSelectors(specPath.child('selectors'), selectors),
    ...checkLimited(specPath.child('config'), config, { limit: maxItems, check: checkOpaque }),
    ...(badName ? [invalidField(specPath.child('extendedResourceName'), extendedResourceName, detail)] : []),
  ];
}
