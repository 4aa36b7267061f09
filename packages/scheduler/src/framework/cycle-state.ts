import { ClusterTallies } from '../cache/cluster-tallies.js';
import type { NodeInfo } from '../cache/node-info.js';

/** Scratch space of one scheduling attempt. A plugin stores data in `preFilter` that its `filter` reads. */
export class CycleState {
  /** All nodes, including those that have been rejected. */
  readonly allNodes: readonly NodeInfo[];
  readonly #values = new Map<StateKey<unknown>, unknown>();
  /** Plugins that skip this pod: their `filter` or `score` is not called. */
  readonly skippedFilters = new Set<string>();
  readonly skippedScores = new Set<string>();
  /** Whether every plugin is measured in this attempt. */
  isSampled = false;
  /**
   * Waits for other components. Meanwhile the scheduler counts as idle. Plugins wait with it while a pod is being
   * bound.
   */
  resting: <T>(wait: Promise<T>) => Promise<T> = (wait) => wait;

  #tallies: ClusterTallies | undefined;

  /** `tallies` are those of the same nodes; they are computed if absent. */
  constructor(allNodes: readonly NodeInfo[], tallies?: ClusterTallies) {
    this.allNodes = allNodes;
    this.#tallies = tallies;
  }

  /** Counts of the pods on all nodes. */
  get tallies(): ClusterTallies {
    this.#tallies ??= ClusterTallies.of(this.allNodes);
    return this.#tallies;
  }

  read<T>(key: StateKey<T>): T | undefined {
    return this.#values.get(key) as T | undefined;
  }

  write<T>(key: StateKey<T>, value: T): void {
    this.#values.set(key, value);
  }

  /** A copy for a simulation, as in preemption. Values whose keys define `copy` are copied. */
  clone(): CycleState {
    const copy = new CycleState(this.allNodes, this.#tallies);
    for (const [key, value] of this.#values) copy.#values.set(key, key.copy ? key.copy(value) : value);
    for (const name of this.skippedFilters) copy.skippedFilters.add(name);
    return copy;
  }
}

/** Made once a plugin with `stateKey`; carries the type of what is stored under it. */
export interface StateKey<T> {
  readonly name: string;
  /** For values that `addPod` and `removePod` change. Without it the value is shared between copies. */
  copy?(value: T): T;
}

export function stateKey<T>(name: string, copy?: (value: T) => T): StateKey<T> {
  return copy ? { name, copy } : { name };
}
