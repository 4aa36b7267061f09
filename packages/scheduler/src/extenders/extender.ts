import type { Pod } from '@coracle/api';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { Victims } from '../framework/victims.js';

/** An extender's verdict on the nodes that plugins have left. */
export interface ExtenderVerdict {
  readonly feasible: readonly NodeInfo[];
  /** Node → why not. Preemption may help there. */
  readonly failed: Readonly<Record<string, string>>;
  /** The same where preemption does not help. Counts before `failed`. */
  readonly unresolvable: Readonly<Record<string, string>>;
}

/** Says which pods run on a node, or throws for a node that is not there. */
export type PodsOn = (node: string) => Iterable<PodInfo>;

/**
 * An HTTP extender of the scheduler, called after its plugins. It has the methods that it supports; each rejects when
 * the request fails.
 */
export interface Extender {
  readonly name: string;
  /** Scheduling continues without it if the call fails (`ignorable`). */
  readonly isIgnorable: boolean;
  /** It is called only for pods with managed resources. */
  isInterested(pod: Pod): boolean;
  readonly filter?: (pod: Pod, nodes: readonly NodeInfo[]) => Promise<ExtenderVerdict>;
  /** Node → what is added to its score. */
  readonly prioritize?: (pod: Pod, nodes: readonly NodeInfo[]) => Promise<ReadonlyMap<string, number>>;
  /** Takes the place of the plugins that bind. */
  readonly bind?: (pod: PodInfo, node: string) => Promise<void>;
  /** The candidates that are left, maybe with other victims. */
  readonly preempt?: (pod: Pod, candidates: readonly Victims[], podsOn: PodsOn) => Promise<readonly Victims[]>;
}
