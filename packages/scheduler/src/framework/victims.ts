import type { PodInfo } from '../cache/pod-info.js';

/** The pods of a node that preemption would evict. */
export interface Victims {
  readonly node: string;
  /** The most important first. */
  readonly pods: readonly PodInfo[];
  /** Number of victims that violate a disruption budget. */
  readonly violations: number;
}
