import { parseTime, Quantity } from '@coracle/apimachinery';
import { deepEqual, type Millis } from '@coracle/base';
import type {
  Container,
  ContainerStatus,
  Pod,
  PodAffinityTerm,
  ScopedResourceSelectorRequirement,
} from '../../../generated/types/core-v1.js';
import {
  deviceClassPrefix,
  isExtendedResource,
  isHugePageResource,
  isNativeResource,
} from '../../../validation/resource-names.js';
import { isTerminalPhase } from '../pod-phase.js';
import { addTo, containerResources, podResources, type ResourceAmounts } from '../pod-resources.js';
import { computeQosClass } from '../qos-class.js';
import { withActualResources } from '../resized-resources.js';
import { countName, one } from './count-evaluator.js';
import type { QuotaEvaluator } from './quota-evaluator.js';
import { matchesValue } from './quota-scopes.js';

const pods = { group: '', resource: 'pods' } as const;
const objectCount = countName(pods);
const compute = ['cpu', 'memory', 'ephemeral-storage'] as const;
const requests = 'requests.';
const limits = 'limits.';
const quotaResources: ReadonlySet<string> = new Set([
  'pods',
  objectCount,
  ...compute.flatMap((name) => [name, requests + name, limits + name]),
]);

/** With a quota on one of these, every container has to state it: an old mistake that people now rely on. */
const mustBeStated: ReadonlySet<string> = new Set(
  ['cpu', 'memory'].flatMap((name) => [name, requests + name, limits + name]),
);

/** Pods are charged for their requests and limits until they have ended. */
export const podEvaluator: QuotaEvaluator<Pod> = {
  ...pods,
  counts: (name) =>
    quotaResources.has(name) ||
    isHugePages(name) ||
    (name.startsWith(requests) && isDevice(name.slice(requests.length))),
  usage(pod, now) {
    const usage: ResourceAmounts = new Map([[objectCount, one]]);
    if (pod.spec && isCharged(pod, now)) {
      const [requested, limited] = (['requests', 'limits'] as const).map((side) =>
        podResources(withActualResources(pod, side), side),
      ) as [ResourceAmounts, ResourceAmounts];
      addTo(usage, chargesOf(requested, limited));
    }
    return usage;
  },
  matchesScope,
  missing,
  chargesUpdate: (pod, previous, subresource) =>
    subresource === 'resize' || (subresource === '' && hasDeadline(pod) !== hasDeadline(previous)),
  frees: (pod, previous, now) =>
    (isCharged(previous, now) && !isCharged(pod, now)) ||
    hasDeadline(pod) !== hasDeadline(previous) ||
    (!deepEqual(resourcesOf(pod), resourcesOf(previous)) && costsLess(pod, previous, now)),
};

/** All that a resize changes: it is requested in the spec and goes on in the status. */
function resourcesOf({ spec, status }: Pod): unknown {
  const stated = ({ resources }: Container) => resources;
  const had = ({ resources, allocatedResources }: ContainerStatus) => [resources, allocatedResources];
  return [
    [spec?.resources, spec?.containers.map(stated), spec?.initContainers?.map(stated)],
    [status?.resources, status?.allocatedResources],
    [status?.containerStatuses?.map(had), status?.initContainerStatuses?.map(had)],
    status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason,
  ];
}

function costsLess(pod: Pod, previous: Pod, now: Millis): boolean {
  const usage = podEvaluator.usage(pod, now);
  return [...podEvaluator.usage(previous, now)].some(
    ([name, before]) => (usage.get(name) ?? Quantity.zero).compare(before) < 0,
  );
}

/** Of a domain of its own, or of a device class that is requested by its name. */
function isDevice(name: string): boolean {
  return !isNativeResource(name) || name.startsWith(deviceClassPrefix);
}

function isHugePages(name: string): boolean {
  return isHugePageResource(name.startsWith(requests) ? name.slice(requests.length) : name);
}

/** Not ended, and not past the time that it was given to end. */
function isCharged({ metadata, status }: Pod, now: Millis): boolean {
  if (isTerminalPhase(status?.phase)) return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return now <= (parseTime(deletionTimestamp) ?? now) + Number(deletionGracePeriodSeconds) * 1000;
}

function chargesOf(requested: ResourceAmounts, limited: ResourceAmounts): ResourceAmounts {
  const charges: ResourceAmounts = new Map([['pods', one]]);
  for (const [name, amount] of requested) {
    const counted = (compute as readonly string[]).includes(name) || isHugePageResource(name);
    if (counted) charges.set(name, amount);
    if (counted || isExtendedResource(name) || name.startsWith(deviceClassPrefix)) charges.set(requests + name, amount);
  }
  for (const name of compute) {
    const amount = limited.get(name);
    if (amount) charges.set(limits + name, amount);
  }
  return charges;
}

/** A pod with pod-level resources need not set them for its containers. */
function missing(names: readonly string[], { spec }: Pod): string | undefined {
  if (!spec || spec.resources?.requests || spec.resources?.limits) return undefined;
  const byName = new Map<string, Set<string>>();
  for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) {
    const stated = chargesOf(containerResources(container, 'requests'), containerResources(container, 'limits'));
    for (const name of names) {
      if (!mustBeStated.has(name) || stated.has(name)) continue;
      byName.set(name, (byName.get(name) ?? new Set()).add(container.name));
    }
  }
  if (byName.size === 0) return undefined;
  const parts = [...byName.keys()]
    .sort()
    .map((name) => `${name} for: ${[...(byName.get(name) ?? [])].sort().join(',')}`);
  return `must specify ${parts.join('; ')}`;
}

function hasDeadline({ spec }: Pod): boolean {
  return spec?.activeDeadlineSeconds !== undefined && spec.activeDeadlineSeconds >= 0;
}

function matchesScope(scope: ScopedResourceSelectorRequirement, pod: Pod): boolean {
  switch (scope.scopeName) {
    case 'Terminating':
      return hasDeadline(pod);
    case 'NotTerminating':
      return !hasDeadline(pod);
    case 'BestEffort':
      return computeQosClass(pod) === 'BestEffort';
    case 'NotBestEffort':
      return computeQosClass(pod) !== 'BestEffort';
    case 'PriorityClass':
      return matchesValue(scope, pod.spec?.priorityClassName);
    case 'CrossNamespacePodAffinity':
      return affinityTerms(pod).some((term) => (term.namespaces?.length ?? 0) > 0 || term.namespaceSelector);
    default:
      return false;
  }
}

function affinityTerms({ spec }: Pod): PodAffinityTerm[] {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}
