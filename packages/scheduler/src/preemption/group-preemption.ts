import type { PodDisruptionBudget } from '@coracle/api';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { GroupPostFilterResult, GroupSearch } from '../framework/plugin.js';
import { groupOf, type PodGroup, type PodGroups } from '../groups/pod-groups.js';
import { splitUnitsByBudget } from './disruption-budgets.js';
import type { NominatedPods } from './nominated-pods.js';
import { isLeaving, type PreemptPodRequest, preemptPod } from './preempt-pod.js';
import { startOf } from './select-victims.js';

export type GroupPreemptionDependencies = PreemptPodRequest['deps'] & {
  readonly groups: Pick<PodGroups, 'get'>;
  readonly nominated: Pick<NominatedPods, 'nodeOf'>;
  readonly budgets: () => readonly PodDisruptionBudget[];
  readonly onVictims?: (count: number) => void;
};

/** Pods that are preempted together: all of a group with the disruption mode `PodGroup`, or one. */
export interface PreemptionUnit {
  readonly pods: readonly PodInfo[];
  readonly priority: number;
  readonly isGroup: boolean;
}

/**
 * Preempts pods anywhere in the cluster for a pod group. All units of lower priority are removed first; then each is
 * restored if the group still fits beside it, first those that a budget protects, and by descending priority.
 */
export async function makeRoomForGroup(
  search: GroupSearch,
  deps: GroupPreemptionDependencies,
): Promise<GroupPostFilterResult> {
  const ineligible = whyNotEligible(search, deps);
  if (ineligible) return { message: ineligible };
  const units = preemptionUnits(search.nodes, (key) => deps.groups.get(key));
  const lesser = units.filter(({ priority }) => priority < priorityOf(search.group));
  if (lesser.length === 0) return { message: 'No preemption victims found for incoming preemptor' };
  const found = await selectUnits(search, lesser.sort(byImportance), deps.budgets());
  if (!found) return { message: 'pod group is unschedulable' };
  const victims = found.victims.flatMap(({ pods }) => pods);
  deps.onVictims?.(victims.length);
  const { uid } = search.group.metadata;
  const message = `${search.pods[0]?.pod.spec?.schedulerName}: preempting to accommodate a higher priority podgroup`;
  // Upstream's message names the topology domain of the group, or the whole cluster, in place of a node.
  const note = `Preempted by podgroup ${uid} on node cluster`;
  await Promise.all(victims.map((victim) => preemptPod(victim, { message, note, deps })));
  return { nominated: found.nominated, message: '' };
}

function priorityOf({ spec }: PodGroup): number {
  return spec.priority ?? 0;
}

/** A group that has preempted waits for its victims to terminate. */
function whyNotEligible(
  { group, pods, nodes }: GroupSearch,
  { nominated, groups }: GroupPreemptionDependencies,
): string | undefined {
  if (pods.some(({ pod }) => pod.spec?.preemptionPolicy === 'Never'))
    return 'not eligible due to preemptionPolicy=Never.';
  const names = new Set(pods.map(({ uid }) => nominated.nodeOf(uid)));
  const isWaiting = preemptionUnits(
    nodes.filter(({ name }) => names.has(name)),
    (key) => groups.get(key),
  ).some(({ pods: members, priority }) => priority < priorityOf(group) && members.some(isLeaving));
  return isWaiting ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
}

/** The pods of these nodes, by preemption unit. */
function preemptionUnits(
  nodes: readonly NodeInfo[],
  groupNamed: (key: string) => PodGroup | undefined,
): PreemptionUnit[] {
  const together = new Map<string, PodInfo[]>();
  const units: PreemptionUnit[] = [];
  for (const node of nodes)
    for (const info of node.pods.values()) {
      const key = groupOf(info.pod);
      const spec = key === undefined ? undefined : groupNamed(key)?.spec;
      const priority = spec?.priority ?? info.priority;
      const members = key === undefined ? undefined : together.get(key);
      if (members) members.push(info);
      else {
        const isGroup = spec?.disruptionMode === 'PodGroup';
        const pods = [info];
        if (key !== undefined && isGroup) together.set(key, pods);
        units.push({ pods, priority, isGroup });
      }
    }
  return units;
}

/** Most important first: by priority; groups before pods; larger groups before smaller ones; then by start time. */
export function byImportance(a: PreemptionUnit, b: PreemptionUnit): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  if (a.isGroup !== b.isGroup) return a.isGroup ? -1 : 1;
  if (a.pods.length !== b.pods.length) return b.pods.length - a.pods.length;
  const [startA, startB] = [earliest(a), earliest(b)];
  return startA < startB ? -1 : startA > startB ? 1 : 0;
}

function earliest({ pods }: PreemptionUnit): string {
  return pods.map(startOf).sort()[0] ?? '';
}

/** The victims; `undefined` if the group fits nowhere even without any unit. */
async function selectUnits(
  { lift, tryOut }: GroupSearch,
  units: readonly PreemptionUnit[],
  budgets: readonly PodDisruptionBudget[],
): Promise<{ readonly victims: PreemptionUnit[]; readonly nominated: ReadonlyMap<string, string> } | undefined> {
  const lifted = new Map(units.map((unit) => [unit, unit.pods.map((pod) => lift(pod))]));
  const putBack = (unit: PreemptionUnit) => {
    for (const back of lifted.get(unit) ?? []) back();
    lifted.delete(unit);
  };
  try {
    let nominated = await tryOut();
    if (!nominated) return undefined;
    const { violating, others } = splitUnitsByBudget(units, budgets);
    for (const unit of [...violating, ...others]) {
      putBack(unit);
      const beside = await tryOut();
      if (beside) nominated = beside;
      else
        lifted.set(
          unit,
          unit.pods.map((pod) => lift(pod)),
        );
    }
    return { victims: [...lifted.keys()].sort(byImportance), nominated };
  } finally {
    for (const unit of [...lifted.keys()]) putBack(unit);
  }
}
