import type { Pod } from '@coracle/api';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { Victims } from '../framework/victims.js';

/** The result of an extender for the nodes that plugins accepted. */
export interface ExtenderVerdict {
  readonly feasible: readonly NodeInfo[];
  /** Node → reason. Preemption may help. */
  readonly failed: Readonly<Record<string, string>>;
  /** Node → reason, where preemption does not help. Takes precedence over `failed`. */
  readonly unresolvable: Readonly<Record<string, string>>;
}

/** The pods on a node. Throws for a node that does not exist. */
export type PodsOn = (node: string) => Iterable<PodInfo>;

/**
 * An HTTP extender of the scheduler, called after its plugins. It has the methods that it supports; each rejects when
 * the request fails.
 */
export interface Extender {
  readonly name: string;
  /** Whether scheduling continues without it if the call fails (`ignorable`). */
  readonly isIgnorable: boolean;
  /** Whether it is called only for pods with managed resources. */
  isInterested(pod: Pod): boolean;
  readonly filter?: (pod: Pod, nodes: readonly NodeInfo[]) => Promise<ExtenderVerdict>;
  /** Node → amount that is added to its score. */
  readonly prioritize?: (pod: Pod, nodes: readonly NodeInfo[]) => Promise<ReadonlyMap<string, number>>;
  /** Replaces the bind plugins. */
  readonly bind?: (pod: PodInfo, node: string) => Promise<void>;
  /** The remaining candidates, possibly with other victims. */
  readonly preempt?: (pod: Pod, candidates: readonly Victims[], podsOn: PodsOn) => Promise<readonly Victims[]>;
}
