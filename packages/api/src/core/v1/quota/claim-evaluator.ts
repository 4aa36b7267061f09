import { parseQuantity, type Quantity } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { PersistentVolumeClaim } from '../../../generated/types/core-v1.js';
import type { ResourceAmounts } from '../pod-resources.js';
import { countName, one } from './count-evaluator.js';
import type { QuotaEvaluator } from './quota-evaluator.js';
import { matchesValue } from './quota-scopes.js';

const claims = { group: '', resource: 'persistentvolumeclaims' } as const;
const classSuffix = '.storageclass.storage.k8s.io/';
const classAnnotation = 'volume.beta.kubernetes.io/storage-class';
const names: ReadonlySet<string> = new Set([claims.resource, 'requests.storage', countName(claims)]);

/** Claims cost themselves and the storage that they request, altogether and by storage class. */
export const claimEvaluator: QuotaEvaluator<PersistentVolumeClaim> = {
  ...claims,
  counts: (name) =>
    names.has(name) ||
    name.endsWith(`${classSuffix}${claims.resource}`) ||
    name.endsWith(`${classSuffix}requests.storage`),
  usage(claim) {
    const usage: ResourceAmounts = new Map([
      [claims.resource, one],
      [countName(claims), one],
    ]);
    const storage = storageOf(claim);
    const className = claim.metadata.annotations?.[classAnnotation] ?? claim.spec?.storageClassName;
    if (className) usage.set(`${className}${classSuffix}${claims.resource}`, one);
    if (storage) usage.set('requests.storage', storage);
    if (storage && className) usage.set(`${className}${classSuffix}requests.storage`, storage);
    return usage;
  },
  matchesScope: (scope, claim) =>
    scope.scopeName === 'VolumeAttributesClass' && classesOf(claim).some((name) => matchesValue(scope, name)),
  chargesUpdate: (_claim, _previous, subresource) => subresource === '',
  frees: (claim, previous) => {
    const [now, before] = [storageOf(claim), storageOf(previous)];
    const isLess = before !== undefined && (now === undefined || now.compare(before) < 0);
    return isLess || !deepEqual(classesOf(claim), classesOf(previous));
  },
};

/** The allocated size is still charged if an expansion fails and less is requested. */
function storageOf({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const requested = spec?.resources?.requests?.['storage'];
  if (requested === undefined) return undefined;
  const requestedAmount = parseQuantity(requested);
  const allocated = status?.allocatedResources?.['storage'];
  const allocatedAmount = allocated === undefined ? undefined : parseQuantity(allocated);
  return allocatedAmount && allocatedAmount.compare(requestedAmount) > 0 ? allocatedAmount : requestedAmount;
}

/** The requested class, the current one and the target one: a claim counts under all of them. */
function classesOf({ spec, status }: PersistentVolumeClaim): (string | undefined)[] {
  const named = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name) => name);
  return named.length > 0 ? named : [undefined];
}
