import { type FieldError, FieldPath, validateAnnotations, validateLabels } from '@coracle/apimachinery';
import type { ResourceClaim, ResourceClaimTemplate } from '../../generated/types/resource-v1.js';
import { checkImmutable } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';
import { checkDeviceClaim } from './device-claim.validation.js';

const specPath = FieldPath.of('spec');

export function validateResourceClaim({ spec }: ResourceClaim): FieldError[] {
  return checkDeviceClaim(specPath.child('devices'), spec?.devices ?? {});
}

/** What was requested stays: a driver may already be at work on it. */
export function validateResourceClaimUpdate(claim: ResourceClaim, previous: ResourceClaim): FieldError[] {
  return checkImmutable(specPath, claim.spec, previous.spec, goValue('resource-v1/ResourceClaimSpec', claim.spec));
}

export function validateResourceClaimTemplate({ spec }: ResourceClaimTemplate): FieldError[] {
  const path = specPath.child('metadata');
  return [
    ...validateLabels(spec.metadata?.labels, path.child('labels')),
    ...validateAnnotations(spec.metadata?.annotations, path.child('annotations')),
    ...checkDeviceClaim(specPath.child('spec', 'devices'), spec.spec?.devices ?? {}),
  ];
}

export function validateResourceClaimTemplateUpdate(
  template: ResourceClaimTemplate,
  previous: ResourceClaimTemplate,
): FieldError[] {
  const shown = goValue('resource-v1/ResourceClaimTemplateSpec', template.spec);
  return checkImmutable(specPath, template.spec, previous.spec, shown);
}
