import { type Pod, type PodDisruptionBudget, refs } from '@coracle/api';
import { type Clock, type Logger, type Random, randomInt } from '@coracle/base';
import type { Client } from '@coracle/client';
import type { WaitingPods } from '../binding-cycle.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { PluginArguments } from '../config/scheduler-configuration.js';
import type { Extender } from '../extenders/extender.js';
import { narrowCandidates } from '../extenders/preempt-with-extenders.js';
import { describeFailure } from '../fit-error.js';
import type { CycleState } from '../framework/cycle-state.js';
import type { GroupPostFilterPlugin, PostFilterPlugin, PostFilterResult } from '../framework/plugin.js';
import { unschedulableAndUnresolvable, type Verdict } from '../framework/verdict.js';
import type { Victims } from '../framework/victims.js';
import { groupOf, isPreemptorAsGroup, type PodGroups, topologyKeyOf } from '../groups/pod-groups.js';
import type { SchedulerProfile } from '../schedule-one.js';
import { makeRoomForGroup } from './group-preemption.js';
import type { NominatedPods } from './nominated-pods.js';
import { pickNode } from './pick-node.js';
import { ignoreNotFound, isLeaving, preemptPod } from './preempt-pod.js';
import { selectVictims } from './select-victims.js';

export interface PreemptionDependencies {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly nominated: NominatedPods;
  readonly waiting: WaitingPods;
  readonly logger: Logger;
  readonly budgets: () => readonly PodDisruptionBudget[];
  readonly groups: PodGroups;
  /** Extenders that support preemption: they may reject nodes, and select other victims. */
  readonly extenders: readonly Extender[];
  /** The profile of this plugin. */
  readonly profile: () => SchedulerProfile;
  /** The number of candidate nodes. */
  readonly args?: PluginArguments['DefaultPreemption'] | undefined;
  /** Number of victims. */
  readonly onVictims?: (count: number) => void;
}

const notHelpful = unschedulableAndUnresolvable('Preemption is not helpful for scheduling');

/** Preempts pods of lower priority for a pod that fits nowhere. */
export function defaultPreemption(deps: PreemptionDependencies): PostFilterPlugin & GroupPostFilterPlugin {
  return {
    name: 'DefaultPreemption',
    /** Registers no events, because it rejects nothing. */
    wakesOn: [],
    async postFilter(state, pod, failures) {
      const left = whyLeftToGroup(pod, deps);
      if (left) return { message: `preemption: ${left}` };
      const ineligible = whyNotEligible(state, pod, { failures, nominated: deps.nominated });
      if (ineligible) return { message: `preemption: ${ineligible}` };
      const search = findCandidates(state, pod, { failures, deps });
      if (search.candidates.length === 0) return noCandidates(state, search.verdicts);
      const candidates = deps.extenders.length === 0 ? search.candidates : await ask(state, pod, { search, deps });
      if (candidates instanceof Error) return { message: `preemption: ${candidates.message}` };
      const victims = pickNode(candidates);
      if (!victims) return { message: 'preemption: no candidate node for preemption' };
      // Nominated before anything is awaited: from now on other pods leave the resources to this pod.
      deps.nominated.add(pod, victims.node);
      deps.onVictims?.(victims.pods.length);
      await carryOut(pod, victims, deps);
      return { nominatedNode: victims.node, message: '' };
    },
    postFilterGroup: (search) => makeRoomForGroup(search, deps),
  };
}

/** Some groups are preempted for as a whole, or not at all. */
function whyLeftToGroup({ pod }: PodInfo, { groups }: PreemptionDependencies): string | undefined {
  const key = groupOf(pod);
  const group = key === undefined ? undefined : groups.get(key);
  if (topologyKeyOf(group) !== undefined) return 'not eligible due to placement-based pod group scheduling limitation';
  return isPreemptorAsGroup(group) ? 'not eligible due to workload aware preemption enabled' : undefined;
}

/** The candidates that extenders accept, or the error of an extender. */
async function ask(
  { allNodes }: CycleState,
  { pod }: PodInfo,
  { search, deps }: { readonly search: Search; readonly deps: PreemptionDependencies },
): Promise<readonly Victims[] | Error> {
  const podsOn = (name: string) => {
    const node = allNodes.find((one) => one.name === name);
    if (!node) throw new Error(`nodeinfo not found for node name ${JSON.stringify(name)}`);
    return node.pods.values();
  };
  try {
    return await narrowCandidates(pod, search.candidates, { ...deps, podsOn });
  } catch (error) {
    deps.logger.error('extender failed during preemption', { error });
    return error instanceof Error ? error : new Error(String(error));
  }
}

function noCandidates({ allNodes }: CycleState, verdicts: ReadonlyMap<string, Verdict>): PostFilterResult {
  const failures = new Map(allNodes.map(({ name }) => [name, verdicts.get(name) ?? notHelpful]));
  const failure = { nodeCount: allNodes.length, failures, refusedBy: new Set<string>() };
  return { nominatedNode: '', message: `preemption: ${describeFailure(failure)}` };
}

/** A pod may have `preemptionPolicy: Never`, and one that has preempted waits for its victims to terminate. */
function whyNotEligible(
  { allNodes }: CycleState,
  { pod, uid, priority }: PodInfo,
  { failures, nominated }: { failures: ReadonlyMap<string, Verdict>; nominated: NominatedPods },
): string | undefined {
  if (pod.spec?.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const nominatedNode = nominated.nodeOf(uid);
  if (nominatedNode === undefined || failures.get(nominatedNode)?.kind === 'unschedulable-and-unresolvable')
    return undefined;
  const node = allNodes.find(({ name }) => name === nominatedNode);
  const leaving = [...(node?.pods.values() ?? [])].some((other) => other.priority < priority && isLeaving(other));
  return leaving ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
}

interface Search {
  readonly candidates: Victims[];
  /** The results of nodes where preemption does not help. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

/**
 * Starts at a random node, and stops after enough candidates: a tenth of the nodes, but at least a hundred, unless
 * configured otherwise.
 */
function findCandidates(
  state: CycleState,
  pod: PodInfo,
  { failures, deps }: { failures: ReadonlyMap<string, Verdict>; deps: PreemptionDependencies },
): Search {
  const nodes = state.allNodes.filter(({ name }) => failures.get(name)?.kind === 'unschedulable');
  const { minCandidateNodesPercentage = 10, minCandidateNodesAbsolute = 100 } = deps.args ?? {};
  const enough = Math.max(minCandidateNodesAbsolute, Math.trunc((nodes.length * minCandidateNodesPercentage) / 100));
  const startAt = nodes.length > 0 ? randomInt(deps.random, nodes.length) : 0;
  const common = { state, pod, profile: deps.profile(), budgets: deps.budgets() };
  const candidates: Victims[] = [];
  const verdicts = new Map<string, Verdict>();
  for (const node of [...nodes.slice(startAt), ...nodes.slice(0, startAt)]) {
    const found = selectVictims({ ...common, node, nominated: (name) => deps.nominated.on(name) });
    if ('pods' in found) candidates.push(found);
    else verdicts.set(node.name, found);
    if (candidates.length >= enough && candidates.some(({ violations }) => violations === 0)) break;
  }
  return { candidates, verdicts };
}

async function carryOut(pod: PodInfo, { node, pods }: Victims, deps: PreemptionDependencies): Promise<void> {
  const outranked = deps.nominated.on(node).filter(({ priority }) => priority < pod.priority);
  await Promise.all([
    ...pods.map((victim) =>
      preemptPod(victim, {
        message: `${pod.pod.spec?.schedulerName}: preempting to accommodate a higher priority pod`,
        note: `Preempted by pod ${pod.uid} on node ${node}`,
        deps,
      }),
    ),
    ...outranked.map((other) => clearNomination(other, deps)),
  ]);
}

/** Clears the nominations of pods with lower priority for the same node. */
async function clearNomination({ pod, namespace, uid }: PodInfo, deps: PreemptionDependencies): Promise<void> {
  deps.nominated.remove(uid);
  const pods = deps.client.resource<Pod>(refs.pods, namespace);
  const patch = { status: { nominatedNodeName: null } };
  await ignoreNotFound(pods.patch(pod.metadata.name ?? '', patch, { type: 'strategic', subresource: 'status' }));
}
