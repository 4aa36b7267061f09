import type { PodDisruptionBudget } from '@coracle/api';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { CycleState } from '../framework/cycle-state.js';
import type { FilterPlugin } from '../framework/plugin.js';
import type { Profile } from '../framework/profile.js';
import { unschedulableAndUnresolvable, type Verdict } from '../framework/verdict.js';
import type { Victims } from '../framework/victims.js';
import { activeFilters, type CycleInput, refusal } from '../scheduling-cycle.js';
import { splitByBudget } from './disruption-budgets.js';

export interface VictimSearch extends Pick<CycleInput, 'nominated'> {
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly node: NodeInfo;
  readonly profile: Profile;
  readonly budgets: readonly PodDisruptionBudget[];
}

/**
 * The fewest and least important pods that must be evicted for the pod to fit on a node, or why that does not help. All
 * pods of lower priority are removed first; then each is restored if the pod still fits beside it, first those that a
 * budget protects, and by descending importance.
 */
export function selectVictims(search: VictimSearch): Victims | Verdict {
  const lesser = [...search.node.pods.values()].filter(({ priority }) => priority < search.pod.priority);
  if (lesser.length === 0) return unschedulableAndUnresolvable('No preemption victims found for incoming pod');
  const trial = new Trial(search);
  for (const other of lesser) trial.remove(other);
  const refused = trial.refusal();
  if (refused) return refused.verdict;
  const { violating, others } = splitByBudget(lesser.sort(byImportance), search.budgets);
  const mustGo = (other: PodInfo) => !trial.canStay(other);
  const protectedVictims = violating.filter(mustGo);
  const pods = [...protectedVictims, ...others.filter(mustGo)].sort(byImportance);
  return { node: search.node.name, pods, violations: protectedVictims.length };
}

/** By importance: higher priority first, then earlier start. A pod that has not started counts as the newest. */
export function byImportance(a: PodInfo, b: PodInfo): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  return startOf(a) < startOf(b) ? -1 : startOf(a) > startOf(b) ? 1 : 0;
}

export function startOf({ pod }: PodInfo): string {
  return pod.status?.startTime ?? '9999';
}

/** A copy of a node and of the plugin state, in which pods are added and removed. */
class Trial {
  readonly #search: VictimSearch;
  readonly #node: NodeInfo;
  readonly #state: CycleState;
  readonly #filters: readonly FilterPlugin[];

  constructor(search: VictimSearch) {
    this.#search = search;
    this.#node = search.node.clone();
    this.#state = search.state.clone();
    this.#filters = activeFilters(this.#state, search.profile);
  }

  remove(other: PodInfo): void {
    this.#node.removePod(other.uid);
    const { profile, pod } = this.#search;
    for (const plugin of profile.preFilter) plugin.removePod?.(this.#state, pod, { other, node: this.#node });
  }

  canStay(other: PodInfo): boolean {
    this.#node.addPod(other);
    const { profile, pod } = this.#search;
    for (const plugin of profile.preFilter) plugin.addPod?.(this.#state, pod, { other, node: this.#node });
    if (!this.refusal()) return true;
    this.remove(other);
    return false;
  }

  refusal() {
    const { pod, profile } = this.#search;
    return refusal({ state: this.#state, pod, node: this.#node, profile, filters: this.#filters }, this.#search);
  }
}
