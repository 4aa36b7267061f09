import type { ObjectKey } from '@coracle/apimachinery';
import { messageOf } from '@coracle/base';
import type { GroupPostFilterPlugin, GroupSearch } from '../framework/plugin.js';
import type { SchedulingCondition } from '../pod-status.js';
import type { QueuedPod } from '../queue/queued-pod.js';
import {
  type Attempt,
  type AttemptParts,
  failureOf,
  giveBack,
  goOn,
  inBackground,
  makeRoom,
  type Needs,
  profileOf,
  type Rotation,
  skipTerminating,
} from '../schedule-one.js';
import { type GroupCondition, reportGroup } from './group-status.js';
import { bestPlacement, fillOf, type GroupPlacement, type PlacementFill, placementsFor } from './placements.js';
import { gangSchedulingName, groupOf, isPreemptorAsGroup, type PodGroup, topologyKeyOf } from './pod-groups.js';
import { type GroupTrial, type PodTrial, tryGroup } from './try-group.js';

type GroupParts = AttemptParts & Needs<'groups'>;

const unschedulable = 'pod group is unschedulable';
const waitsForPreemption = 'pod group is waiting for preemption to complete';
const waitsForOthers = 'waiting for minCount pods from a gang to be scheduled';

/** A group in a scheduling attempt: its waiting pods, in the order in which they are placed. */
interface GroupAttempt {
  readonly key: ObjectKey;
  readonly group: PodGroup;
  readonly pods: readonly QueuedPod[];
  readonly startedAt: Attempt['startedAt'];
}

/** The result of an attempt for a group. */
interface GroupOutcome {
  readonly kind: 'scheduled' | 'preempting' | 'unschedulable' | 'failed';
  readonly trials: readonly PodTrial[];
  /** Messages for the pods that fit on no node, by uid. */
  readonly conditions: ReadonlyMap<string, SchedulingCondition>;
  readonly message: string;
  /** The plugins whose events may help any pod of the group, and therefore the group. */
  readonly refusedBy: ReadonlySet<string>;
  /** Nominated nodes of the pods after preemption, by uid. */
  readonly nominated: ReadonlyMap<string, string>;
}

/**
 * Schedules all waiting pods of a group together: each is placed with the previous ones assumed on their nodes, in each
 * domain of the group's topology constraint, and all are bound if enough fit. The next pod must wait for the promise.
 */
export async function scheduleGroup(first: QueuedPod, parts: GroupParts, rotation: Rotation): Promise<void> {
  const attempt = openAttempt(first, parts);
  if (!attempt) return;
  try {
    const outcome = await findRoom(attempt, parts, rotation);
    submit(attempt, parts, outcome);
  } catch (error) {
    submit(attempt, parts, { ...nothing, kind: 'failed', trials: [], message: messageOf(error) });
  }
}

const nothing = { conditions: new Map(), nominated: new Map(), refusedBy: new Set<string>() };

function openAttempt(first: QueuedPod, parts: GroupParts): GroupAttempt | undefined {
  const key = groupOf(first.info.pod) ?? '';
  const group = parts.groups.get(key);
  const startedAt = parts.clock.now();
  const taken = [first, ...parts.queue.takeThese(parts.groups.members(key))];
  if (!group) {
    const condition = failureOf(new Error(`podgroup ${JSON.stringify(key)} not found`));
    for (const queued of taken) void inBackground(parts, () => giveBack({ queued, startedAt }, parts, { condition }));
    return undefined;
  }
  for (const queued of taken) if (queued.info.isTerminating) skipTerminating(queued, parts);
  const pods = taken.filter(({ info }) => !info.isTerminating).sort(byPriority);
  for (const { info } of pods) parts.tracer.step('scheduler.schedule', `pods/${info.key}`);
  return pods.length === 0 ? undefined : { key, group, pods, startedAt };
}

function byPriority(a: QueuedPod, b: QueuedPod): number {
  return b.info.priority - a.info.priority || a.firstQueuedAt - b.firstQueuedAt || a.sequence - b.sequence;
}

async function findRoom(attempt: GroupAttempt, parts: GroupParts, rotation: Rotation): Promise<GroupOutcome> {
  refuseSeveralSchedulers(attempt.pods);
  const { key, group } = attempt;
  const placements = placementsFor(group, parts.cache.nodes(), parts.groups.nodesOf(key));
  const found = await tryPlacements(attempt, parts, { placements, rotation });
  if (found.kind !== 'unschedulable' || !isPreemptorAsGroup(group)) return found;
  return preempt(attempt, parts, { found, rotation });
}

function refuseSeveralSchedulers([first, ...others]: readonly QueuedPod[]): void {
  const name = first?.info.pod.spec?.schedulerName;
  const other = others.find(({ info }) => info.pod.spec?.schedulerName !== name);
  if (other)
    throw new Error(
      `all pods in a single pod group should have the same .spec.schedulerName set, got: ${JSON.stringify(other.info.pod.spec?.schedulerName)} and ${JSON.stringify(name)}`,
    );
}

interface PlacementSearch {
  readonly placements: readonly GroupPlacement[];
  readonly rotation: Rotation;
}

/** The best placement that takes the group; otherwise the result of the first one. */
async function tryPlacements(
  attempt: GroupAttempt,
  parts: GroupParts,
  { placements, rotation }: PlacementSearch,
): Promise<GroupOutcome> {
  const feasible: { readonly outcome: GroupOutcome; readonly fill: PlacementFill }[] = [];
  const refused: GroupOutcome[] = [];
  for (const placement of placements) {
    const { outcome, fill } = await tryPlacement(attempt, parts, { placement, rotation });
    if (outcome.kind === 'failed') return outcome;
    if (outcome.kind === 'unschedulable') refused.push(outcome);
    else feasible.push({ outcome, fill });
  }
  const best = feasible[bestPlacement(feasible.map(({ fill }) => fill))];
  if (best) return best.outcome;
  const [first] = refused;
  const refusedBy = new Set([gangSchedulingName, ...refused.flatMap((one) => [...one.refusedBy])]);
  const isConstrained = topologyKeyOf(attempt.group) !== undefined;
  const reason = first ? `, first placement status: ${first.message}` : '';
  const message = isConstrained ? `0/${placements.length} placements are available${reason}` : unschedulable;
  return { ...nothing, trials: [], ...first, kind: 'unschedulable', message, refusedBy };
}

async function tryPlacement(
  attempt: GroupAttempt,
  parts: GroupParts,
  { placement, rotation }: { readonly placement: GroupPlacement; readonly rotation: Rotation },
): Promise<{ readonly outcome: GroupOutcome; readonly fill: PlacementFill }> {
  const conditions = new Map<string, SchedulingCondition>();
  const nominated = new Map<string, string>();
  using trial = await tryGroup(attempt.pods, parts, {
    rotation,
    nodes: placement.nodes,
    onUnplaced: async ({ queued: { info }, outcome }) => {
      if (outcome.kind !== 'unplaced') return;
      const condition = await makeRoom(info, parts, outcome);
      conditions.set(info.uid, condition);
      if (condition.nominatedNode) nominated.set(info.uid, condition.nominatedNode);
    },
  });
  const kind = kindOf(attempt, parts, { trial, preempting: nominated.size });
  if (kind === 'preempting') for (const [uid, node] of placesOf(trial)) nominated.set(uid, node);
  const message = messages[kind] ?? `failed to schedule other pod from a pod group: ${messageOf(trial.error)}`;
  const outcome = { kind, trials: trial.pods, conditions, message, refusedBy: refusedByOf(trial), nominated };
  // The pods of the trial are assumed on their nodes now.
  return { outcome, fill: fillOf(placement, parts.groups.nodesOf(attempt.key).length) };
}

const messages: Partial<Record<GroupOutcome['kind'], string>> = {
  scheduled: '',
  preempting: waitsForPreemption,
  unschedulable,
};

/** Call it while the trial is active: its pods are assumed on their nodes. */
function kindOf(
  { key }: GroupAttempt,
  { groups }: Needs<'groups'>,
  { trial, preempting }: { readonly trial: GroupTrial; readonly preempting: number },
): GroupOutcome['kind'] {
  if (trial.error !== undefined) return 'failed';
  const enough = groups.nodesOf(key).length + preempting >= groups.minCount(key);
  if (!enough || trial.placed + preempting === 0) return 'unschedulable';
  return preempting > 0 ? 'preempting' : 'scheduled';
}

function placesOf({ pods }: GroupTrial): Map<string, string> {
  return new Map(
    pods.flatMap(({ queued, outcome }) => (outcome.kind === 'placed' ? [[queued.info.uid, outcome.node.name]] : [])),
  );
}

function refusedByOf({ pods }: GroupTrial): Set<string> {
  return new Set(pods.flatMap(({ outcome }) => (outcome.kind === 'unplaced' ? [...outcome.failure.refusedBy] : [])));
}

/** Preempts pods for the whole group, if a plugin of the profile supports that. */
async function preempt(
  attempt: GroupAttempt,
  parts: GroupParts,
  { found, rotation }: { readonly found: GroupOutcome; readonly rotation: Rotation },
): Promise<GroupOutcome> {
  const { group, pods } = attempt;
  const [first] = pods as readonly [QueuedPod];
  const plugin = profileOf(parts, first.info).postFilter.find(
    (one): one is typeof one & GroupPostFilterPlugin => 'postFilterGroup' in one,
  );
  if (!plugin) return found;
  const withReason = (reason: string) => ({ ...found, message: `${found.message}, ${reason}` });
  if (topologyKeyOf(group) !== undefined)
    return withReason('workload aware preemption is not supported for pod groups with scheduling constraints');
  const search: GroupSearch = {
    group,
    pods: pods.map(({ info }) => info),
    nodes: parts.cache.nodes(),
    lift: ({ uid }) => parts.cache.lift(uid),
    tryOut: async () => {
      using trial = await tryGroup(pods, parts, { rotation, nodes: parts.cache.nodes() });
      return kindOf(attempt, parts, { trial, preempting: 0 }) === 'scheduled' ? placesOf(trial) : undefined;
    },
  };
  const { nominated, message } = await plugin.postFilterGroup(search);
  return nominated ? { ...found, kind: 'preempting', message: waitsForPreemption, nominated } : withReason(message);
}

/** Binds the pods, or returns them to the queue; all that are bound are assumed before anything is awaited. */
function submit(attempt: GroupAttempt, parts: GroupParts, outcome: GroupOutcome): void {
  const trials = new Map(outcome.trials.map((trial) => [trial.queued, trial.outcome]));
  for (const queued of attempt.pods) {
    if (!parts.queue.has(queued.info.uid)) continue;
    const one = { queued, startedAt: attempt.startedAt };
    const place = trials.get(queued);
    if (outcome.kind === 'scheduled' && place?.kind === 'placed') void goOn(one, parts, place);
    else returnPod(one, parts, outcome);
  }
  void inBackground(parts, () => reportGroup(parts, attempt.group, conditionOf(outcome)));
}

function returnPod(attempt: Attempt, parts: GroupParts, outcome: GroupOutcome): void {
  const { info } = attempt.queued;
  const node = outcome.nominated.get(info.uid);
  if (node !== undefined) parts.nominated.add(info, node);
  else if (outcome.kind !== 'scheduled') parts.nominated.remove(info.uid);
  const condition = { ...podCondition(attempt, outcome), nominatedNode: node ?? '' };
  const refusedBy = outcome.kind === 'failed' ? new Set<string>() : outcome.refusedBy;
  void inBackground(parts, () => giveBack(attempt, parts, { condition, refusedBy }));
}

function podCondition({ queued }: Attempt, outcome: GroupOutcome): SchedulingCondition {
  if (outcome.kind === 'failed') return failureOf(outcome.message);
  const own = outcome.conditions.get(queued.info.uid);
  if (own) return own;
  const isPlaced = outcome.trials.some((trial) => trial.queued === queued && trial.outcome.kind === 'placed');
  const message = outcome.kind === 'preempting' ? waitsForPreemption : isPlaced ? waitsForOthers : outcome.message;
  return { reason: 'Unschedulable', message };
}

function conditionOf({ kind, message }: GroupOutcome): GroupCondition {
  if (kind === 'scheduled') return { status: 'True', reason: 'Scheduled', message };
  return { status: 'False', reason: kind === 'failed' ? 'SchedulerError' : 'Unschedulable', message };
}
