import { parseQuantity } from '@coracle/apimachinery';
import type { Container, Pod, PodSpec, ResourceRequirements } from '../../generated/types/core-v1.js';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const counted = ['cpu', 'memory'] as const;

/** The QoS class of a pod, which determines the order of evictions. */
export function computeQosClass({ spec }: Pod): QosClass {
  const all = spec ? resourceOwners(spec) : [];
  if (!all.some(asksForResources)) return 'BestEffort';
  return all.every(isGuaranteed) ? 'Guaranteed' : 'Burstable';
}

/** The pod itself if it has resources as a whole, else each of its containers. */
function resourceOwners(spec: PodSpec): ResourceRequirements[] {
  const ofPod = spec.resources;
  if (ofPod && asksForResources(ofPod)) return [ofPod];
  const owners: ResourceRequirements[] = [];
  addResources(owners, spec.containers);
  addResources(owners, spec.initContainers);
  return owners;
}

function addResources(owners: ResourceRequirements[], containers: readonly Container[] | undefined): void {
  if (containers) for (const { resources = {} } of containers) owners.push(resources);
}

function asksForResources({ requests, limits }: ResourceRequirements): boolean {
  return asksForAny(requests) || asksForAny(limits);
}

function asksForAny(list: Readonly<Record<string, string>> | undefined): boolean {
  if (!list) return false;
  for (const name of counted) if (isPositive(list[name])) return true;
  return false;
}

function isPositive(quantity: string | undefined): boolean {
  return quantity !== undefined && parseQuantity(quantity).sign > 0;
}

/** Limits for both, and whatever is requested is as much. */
function isGuaranteed({ requests = {}, limits = {} }: ResourceRequirements): boolean {
  return counted.every((name) => {
    const limit = limits[name];
    if (limit === undefined || !isPositive(limit)) return false;
    const request = requests[name];
    return request === undefined || !isPositive(request) || parseQuantity(request).equals(parseQuantity(limit));
  });
}
