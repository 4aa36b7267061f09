import type { PodSpec } from '@coracle/api';
import { amountsOf, containerResources, podResources, type ResourceAmounts } from '@coracle/api';

/** Amounts as plain numbers, because they are compared thousands of times per pod. */
export interface Resource {
  milliCpu: number;
  memory: number;
  ephemeralStorage: number;
  /** All other resources by name: huge pages and extended resources. */
  readonly scalar: Map<string, number>;
}

export function emptyResource(): Resource {
  return { milliCpu: 0, memory: 0, ephemeralStorage: 0, scalar: new Map() };
}

export function toResource(amounts: ResourceAmounts): Resource {
  const resource = emptyResource();
  for (const [name, amount] of amounts) {
    if (name === 'cpu') resource.milliCpu = amount.milliValue();
    else if (name === 'memory') resource.memory = amount.value();
    else if (name === 'ephemeral-storage') resource.ephemeralStorage = amount.value();
    else if (name !== 'pods') resource.scalar.set(name, amount.value());
  }
  return resource;
}

export function resourceFromList(list: Readonly<Record<string, string>> | undefined): Resource {
  return toResource(amountsOf(list));
}

export function addResource(total: Resource, other: Resource, sign: 1 | -1): void {
  total.milliCpu += sign * other.milliCpu;
  total.memory += sign * other.memory;
  total.ephemeralStorage += sign * other.ephemeralStorage;
  for (const [name, amount] of other.scalar) total.scalar.set(name, (total.scalar.get(name) ?? 0) + sign * amount);
}

/** Default requests of containers without requests, for scoring. */
const presumed = { milliCpu: 100, memory: 200 * 1024 * 1024 };

/** The requests of a pod, with defaults for CPU and memory. */
export function presumedRequests(spec: PodSpec): { readonly milliCpu: number; readonly memory: number } {
  const filled: PodSpec = {
    ...spec,
    containers: spec.containers.map(withPresumed),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(withPresumed) }),
  };
  const { milliCpu, memory } = toResource(podResources(filled, 'requests'));
  return { milliCpu, memory };
}

function withPresumed<T extends PodSpec['containers'][number]>(container: T): T {
  const requests = containerResources(container, 'requests');
  const missing = {
    ...(!requests.has('cpu') && { cpu: `${presumed.milliCpu}m` }),
    ...(!requests.has('memory') && { memory: String(presumed.memory) }),
  };
  return {
    ...container,
    resources: { ...container.resources, requests: { ...container.resources?.requests, ...missing } },
  };
}
