import { duplicateField, type FieldError, FieldPath, invalidField, requiredField } from '@coracle/apimachinery';
import type { CSIDriver, TokenRequest } from '../../generated/types/storage-v1.js';
import { checkImmutable, checkSupported } from '../../validation/field-checks.js';

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
    ...(spec.fsGroupPolicy === undefined
      ? []
      : checkSupported(specPath.child('fsGroupPolicy'), spec.fsGroupPolicy, groupPolicies)),
    ...checkTokenRequests(specPath.child('tokenRequests'), spec.tokenRequests ?? []),
    ...(spec.volumeLifecycleModes ?? []).flatMap((mode) =>
      checkSupported(specPath.child('volumeLifecycleModes'), mode, ['Persistent', 'Ephemeral']),
    ),
    ...requireAll(spec, ['seLinuxMount']),
    ...(tooOften ? [invalidField(periodPath, period, 'must be greater than or equal to 10 seconds')] : []),
    ...checkTokenInSecrets(spec),
  ];
}

/** The destination of tokens is meaningless if no tokens are requested. */
function checkTokenInSecrets({
  serviceAccountTokenInSecrets: inSecrets,
  tokenRequests,
}: CSIDriver['spec']): FieldError[] {
  if (inSecrets === undefined || tokenRequests?.length) return [];
  const detail = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
  return [invalidField(specPath.child('serviceAccountTokenInSecrets'), inSecrets, detail)];
}

function requireAll<T extends object>(spec: T, fields: readonly (keyof T & string)[]): FieldError[] {
  return fields.filter((field) => spec[field] === undefined).map((field) => requiredField(specPath.child(field)));
}

function checkTokenRequests(path: FieldPath, requests: readonly TokenRequest[]): FieldError[] {
  const seen = new Set<string>();
  return requests.flatMap(({ audience, expirationSeconds: seconds }, index) => {
    if (seen.has(audience)) return [duplicateField(path.index(index).child('audience'), audience)];
    seen.add(audience);
    if (seconds === undefined) return [];
    const errors: FieldError[] = [];
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
