import type { PodSpec } from '../../generated/types/core-v1.js';
import { isHugePageResource, isOvercommitAllowed } from '../../validation/resource-names.js';
import { podResources, type ResourceSide } from './pod-resources.js';

/**
 * A pod with pod-level limits also has pod-level requests: the sum of its containers' requests, or else its limit. Huge
 * pages cannot be overcommitted, so there the containers' sum becomes the limit first.
 */
export function setPodLevelResourceDefaults(spec: PodSpec): void {
  const { resources } = spec;
  if (!resources) return;
  const pages = hugePageLimits(spec);
  if (Object.keys(pages).length > 0) resources.limits = { ...pages, ...resources.limits };
  if (!resources.limits || Object.keys(resources.limits).length === 0) return;
  const requests = { ...requestsOfContainers(spec), ...resources.requests };
  for (const [name, limit] of Object.entries(resources.limits)) {
    if (isPodLevelResource(name)) requests[name] ??= limit;
  }
  if (Object.keys(requests).length > 0) resources.requests = requests;
}

function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePageResource(name);
}

function hugePageLimits(spec: PodSpec): Record<string, string> {
  const { requests = {}, limits = {} } = spec.resources ?? {};
  const hugePages = [...containerAmounts(spec, 'limits')].filter(([name]) => isHugePageResource(name));
  return Object.fromEntries(
    hugePages.filter(([name]) => !Object.hasOwn(limits, name) && !Object.hasOwn(requests, name)),
  );
}

function requestsOfContainers(spec: PodSpec): Record<string, string> {
  return Object.fromEntries(
    containerAmounts(spec, 'requests').filter(([name]) => isPodLevelResource(name) && isOvercommitAllowed(name)),
  );
}

/** The sum of the containers' resources, without those of the pod itself. */
export function containerAmounts(spec: PodSpec, side: ResourceSide): [string, string][] {
  const { resources: _, overhead: __, ...containersOnly } = spec;
  const amounts = podResources({ ...containersOnly, containers: spec.containers ?? [] }, side);
  return [...amounts].map(([name, amount]) => [name, amount.toString()]);
}
