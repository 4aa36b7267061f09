import { duplicateField, type FieldError, FieldPath, invalidField, requiredField } from '@coracle/apimachinery';
import type { CSIDriver, TokenRequest } from '../../generated/types/storage-v1.js';
import { checkImmutable, checkRequiredSupported, checkSupported } from '../../validation/field-checks.js';

const specPath = FieldPath.of('spec');
const minTokenSeconds = 600;
const maxTokenSeconds = 2 ** 32;
const minUpdatePeriodSeconds = 10;
const groupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType'];

export function validateCsiDriver({ spec }: CSIDriver): FieldError[] {
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  const periodPath = specPath.child('nodeAllocatableUpdatePeriodSeconds');
  const tooOften = period !== undefined && period < minUpdatePeriodSeconds;
  return [
    ...requireAll(spec, ['attachRequired', 'podInfoOnMount', 'storageCapacity']),
    ...checkRequiredSupported(specPath.child('fsGroupPolicy'), spec.fsGroupPolicy, groupPolicies),
    ...checkTokenRequests(specPath.child('tokenRequests'), spec.tokenRequests ?? []),
    ...(spec.volumeLifecycleModes ?? []).flatMap((mode) =>
      checkSupported(specPath.child('volumeLifecycleModes'), mode, ['Persistent', 'Ephemeral']),
    ),
    ...requireAll(spec, ['seLinuxMount']),
    ...(tooOften ? [invalidField(periodPath, period, 'must be greater than or equal to 10 seconds')] : []),
  ];
}

function requireAll<T extends object>(spec: T, fields: readonly (keyof T & string)[]): FieldError[] {
  return fields.filter((field) => spec[field] === undefined).map((field) => requiredField(specPath.child(field)));
}

function checkTokenRequests(path: FieldPath, requests: readonly TokenRequest[]): FieldError[] {
  const seen = new Set<string>();
  return requests.flatMap(({ audience, expirationSeconds: seconds }, index) => {
    const errors: FieldError[] = [];
    if (seen.has(audience)) errors.push(duplicateField(path.index(index).child('audience'), audience));
    seen.add(audience);
    if (seconds === undefined) return errors;
    const field = path.index(index).child('expirationSeconds');
    if (seconds < minTokenSeconds) {
      errors.push(invalidField(field, seconds, 'may not specify a duration less than 10 minutes'));
    }
    if (seconds > maxTokenSeconds) {
      errors.push(invalidField(field, seconds, 'may not specify a duration larger than 2^32 seconds'));
    }
    return errors;
  });
}

export function validateCsiDriverUpdate(driver: CSIDriver, previous: CSIDriver): FieldError[] {
  const fixed = { attachRequired: 'attachedRequired', volumeLifecycleModes: 'volumeLifecycleModes' } as const;
  return [
    ...validateCsiDriver(driver),
    ...(Object.keys(fixed) as (keyof typeof fixed)[]).flatMap((field) =>
      checkImmutable(specPath.child(fixed[field]), driver.spec[field], previous.spec[field]),
    ),
  ];
}

export function csiDriverWarnings({ spec }: CSIDriver, previous?: CSIDriver): string[] {
  if (previous || !spec.tokenRequests?.length || spec.serviceAccountTokenInSecrets !== undefined) return [];
  return [
    'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
  ];
}
