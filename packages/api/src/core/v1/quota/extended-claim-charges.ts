import { controllerOf, Quantity } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { Pod } from '../../../generated/types/core-v1.js';
import type { DeviceClass, ResourceClaim } from '../../../generated/types/resource-v1.js';
import { deviceClassPrefix } from '../../../validation/resource-names.js';
import type { ResourceAmounts } from '../pod-resources.js';
import { podEvaluator } from './pod-evaluator.js';

/** Marks the claim that the scheduler makes for the extended resources of a pod. */
export const extendedClaimAnnotation = 'resource.kubernetes.io/extended-resource-claim';

/** What the charges of resource claims depend on besides the claims. */
export interface DeviceQuotaSource {
  classes(): readonly DeviceClass[];
  pod(namespace: string, name: string): Pod | undefined;
  claims(namespace: string): readonly ResourceClaim[];
}

const requests = 'requests.';

/** Whether devices of some class are charged under that name, as an extended resource. */
export function isExtendedDeviceName(name: string, source: DeviceQuotaSource): boolean {
  if (!name.startsWith(requests)) return false;
  const resource = name.slice(requests.length);
  if (!resource.includes('/')) return false;
  return source.classes().some((one) => namesOf(one).includes(resource));
}

/** A class can be requested by its own name, and by the extended resource that it states. */
function namesOf({ metadata: { name = '' }, spec: { extendedResourceName } }: DeviceClass): string[] {
  return [`${deviceClassPrefix}${name}`, ...(extendedResourceName ? [extendedResourceName] : [])];
}

/** The devices of a claim, by class, as extended resources. What its pod is charged for is not charged twice. */
export function extendedCharges(
  claim: ResourceClaim,
  devices: ReadonlyMap<string, Quantity>,
  { source, now }: { readonly source: DeviceQuotaSource; readonly now: Millis },
): ResourceAmounts {
  const charges: ResourceAmounts = new Map();
  const add = (resource: string, amount: Quantity) =>
    charges.set(requests + resource, (charges.get(requests + resource) ?? Quantity.zero).add(amount));
  const classes = source.classes();
  for (const [className, amount] of devices) {
    const { extendedResourceName } = classes.find(({ metadata }) => metadata.name === className)?.spec ?? {};
    add(`${deviceClassPrefix}${className}`, amount);
    if (extendedResourceName) add(extendedResourceName, amount);
  }
  const pod = podOf(claim, source);
  const charged: ResourceAmounts = pod ? podEvaluator.usage(pod, now) : new Map();
  for (const [name, amount] of charges) {
    const left = amount.sub(charged.get(name) ?? Quantity.zero);
    if (left.compare(Quantity.zero) > 0) charges.set(name, left);
    else charges.delete(name);
  }
  return charges;
}

/** The pod whose extended resources a claim is for. Of several claims for a pod that names none, the first counts. */
function podOf(claim: ResourceClaim, source: DeviceQuotaSource): Pod | undefined {
  const { namespace = '', name = '' } = claim.metadata;
  const owner = ownerOf(claim);
  const pod = owner && source.pod(namespace, owner.name);
  if (!pod || pod.metadata.uid !== owner.uid) return undefined;
  const stated = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  if (stated !== undefined) return stated === name ? pod : undefined;
  const others = source.claims(namespace).filter((other) => ownerOf(other)?.uid === owner.uid);
  return others.some((other) => isBefore(other, claim)) ? undefined : pod;
}

function ownerOf(claim: ResourceClaim): { readonly name: string; readonly uid: string } | undefined {
  if (claim.metadata.annotations?.[extendedClaimAnnotation] !== 'true') return undefined;
  const owner = controllerOf(claim);
  return owner?.kind === 'Pod' && owner.apiVersion === 'v1' ? owner : undefined;
}

function isBefore({ metadata: a }: ResourceClaim, { metadata: b }: ResourceClaim): boolean {
  const [first = '', second = ''] = [a.creationTimestamp, b.creationTimestamp];
  return first === second ? (a.name ?? '') < (b.name ?? '') : first < second;
}
