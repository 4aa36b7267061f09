import type { Pod } from '@coracle/api';
import type { Millis } from '@coracle/base';
import { annotationPrefix, coresOf, quantityOf } from './behaviour.js';
import type { SimulatedContainer } from './simulated-container.js';

/** The usage of a container now; missing values come from the annotations of its pod. */
export interface SaidUsage {
  /** CPUs: `250m`. */
  readonly cpu?: string;
  /** `500Mi`. */
  readonly memory?: string;
}

/**
 * Returns the usage of containers, so that load can follow a curve. Must be fast, because it is called for every
 * container.
 */
export type UsageFunction = (about: {
  readonly pod: Pod;
  readonly container: string;
  readonly now: Millis;
}) => SaidUsage | undefined;

export interface ContainerUsage {
  readonly cpuCores: number;
  readonly memoryBytes: number;
}

export interface UsageQuestion {
  readonly container: SimulatedContainer;
  /** The pod as it is now, whose annotations may have changed since the container was made. */
  readonly pod: Pod | undefined;
  readonly usage: UsageFunction | undefined;
  readonly now: Millis;
}

/** The current usage of a container: from the function, otherwise from its pod's annotations. */
export function usageNow({ container, pod, usage, now }: UsageQuestion): ContainerUsage {
  const name = container.config.metadata?.name ?? '';
  const usageFromRule = pod && usage?.({ pod, container: name, now });
  const { cpuCores, memoryBytes } = container.behaviour;
  return {
    cpuCores: coresOf(usageFromRule?.cpu ?? annotationOf(pod, 'cpu-usage', name)) ?? cpuCores,
    memoryBytes: quantityOf(usageFromRule?.memory ?? annotationOf(pod, 'memory-usage', name)) ?? memoryBytes,
  };
}

function annotationOf(pod: Pod | undefined, name: string, container: string): string | undefined {
  const annotations = pod?.metadata.annotations;
  return annotations?.[`${annotationPrefix}${name}.${container}`] ?? annotations?.[annotationPrefix + name];
}
