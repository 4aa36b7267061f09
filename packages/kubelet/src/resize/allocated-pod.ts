import type { Container, Pod } from '@coracle/api';
import { findCondition, parseQuantity } from '@coracle/apimachinery';

type Resources = NonNullable<Container['resources']>;
type Amounts = Readonly<Record<string, string>>;

/** The pod as it may run: `desired` with the resources of `allocated`. */
export function withAllocated(desired: Pod, allocated: Pod): Pod {
  if (!desired.spec || !allocated.spec || hasSameResources(desired, allocated)) return desired;
  const before = new Map(containersOf(allocated).map(({ name, resources }) => [name, resources]));
  const held = (containers: readonly Container[]) =>
    containers.map((container) => withResources(container, before.get(container.name)));
  const { initContainers, resources: _, ...spec } = desired.spec;
  const { resources } = allocated.spec;
  return {
    ...desired,
    spec: {
      ...spec,
      ...(resources && { resources }),
      ...(initContainers && { initContainers: held(initContainers) }),
      containers: held(spec.containers),
    },
  };
}

/** Equal quantities may be written differently. */
export function hasSameResources(a: Pod, b: Pod): boolean {
  if (a.spec === b.spec) return true;
  if (!areSame(a.spec?.resources, b.spec?.resources)) return false;
  const others = new Map(containersOf(b).map(({ name, resources }) => [name, resources]));
  return containersOf(a).every(({ name, resources }) => !others.has(name) || areSame(resources, others.get(name)));
}

/**
 * The pod as the previous kubelet ran it. A resize that was pending then is in the status, with the allocated
 * resources.
 */
export function lastAllocated(pod: Pod): Pod {
  const { conditions, containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  if (!pod.spec || findCondition(conditions, 'PodResizePending')?.status !== 'True') return pod;
  const statuses = new Map([...containerStatuses, ...initContainerStatuses].map((status) => [status.name, status]));
  const restored = (container: Container): Container => {
    const { allocatedResources, resources } = statuses.get(container.name) ?? {};
    return resources ? withResources(container, { ...resources, ...requestsOf(allocatedResources) }) : container;
  };
  const { initContainers, containers } = pod.spec;
  const spec = {
    ...pod.spec,
    containers: containers.map(restored),
    ...(initContainers && { initContainers: initContainers.map(restored) }),
  };
  return { ...pod, spec };
}

function requestsOf(requests: Amounts | undefined): Resources {
  return requests ? { requests } : {};
}

function withResources({ resources: _, ...container }: Container, resources: Resources | undefined): Container {
  return { ...container, ...(resources && { resources }) };
}

function containersOf({ spec }: Pod): readonly Container[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
}

function areSame(a: Resources = {}, b: Resources = {}): boolean {
  return a === b || (areEqual(a.requests, b.requests) && areEqual(a.limits, b.limits));
}

function areEqual(a: Amounts = {}, b: Amounts = {}): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => {
    const [one, other] = [a[name], b[name]];
    if (one === undefined || other === undefined) return one === other;
    return one === other || parseQuantity(one).compare(parseQuantity(other)) === 0;
  });
}
