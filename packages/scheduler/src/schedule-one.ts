import {
  type Activity,
  type Clock,
  type Logger,
  type Millis,
  messageOf,
  monotonicNow,
  type Tracer,
} from '@coracle/base';
import type { Client, EventRecorder } from '@coracle/client';
import { bindPod, type WaitingPods } from './binding-cycle.js';
import type { NodeInfo } from './cache/node-info.js';
import { type PodInfo, podInfoOf } from './cache/pod-info.js';
import type { SchedulerCache } from './cache/scheduler-cache.js';
import type { Extender } from './extenders/extender.js';
import { placePodWithExtenders } from './extenders/place-with-extenders.js';
import { describeFailure } from './fit-error.js';
import type { CycleState } from './framework/cycle-state.js';
import { statusOfPostFilter } from './framework/measured-plugins.js';
import { atAsyncPoint } from './framework/measuring.js';
import type { PostFilterResult } from './framework/plugin.js';
import { type Profile, profileIn } from './framework/profile.js';
import { unschedulable } from './framework/verdict.js';
import type { PodGroups } from './groups/pod-groups.js';
import { isPodGone } from './pod-gone.js';
import { nominatePod, reportUnscheduled, type SchedulingCondition } from './pod-status.js';
import type { NominatedPods } from './preemption/nominated-pods.js';
import type { QueuedPod } from './queue/queued-pod.js';
import type { SchedulingQueue } from './queue/scheduling-queue.js';
import type { SchedulerMetrics } from './scheduler-metrics.js';
import { type CycleInput, type Placement, placePod, type Unplaced } from './scheduling-cycle.js';
import type { AttemptLog } from './why/attempt-log.js';

/** The parts of a scheduler. Only its assembly uses all of them: see `Needs`. */
export interface SchedulerParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly activity: Activity;
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  readonly nominated: NominatedPods;
  readonly waiting: WaitingPods;
  /** Profiles by scheduler name. */
  readonly profiles: ReadonlyMap<string, SchedulerProfile>;
  /** In the order in which they are called. */
  readonly extenders: readonly Extender[];
  readonly metrics: SchedulerMetrics;
  readonly attempts: AttemptLog;
  readonly groups: PodGroups;
}

/** The parts that a function needs: `Needs<'cache' | 'queue'>`. */
export type Needs<P extends keyof SchedulerParts> = Pick<SchedulerParts, P>;

/** The profile of one scheduler name, with its state. */
export interface SchedulerProfile extends Profile {
  readonly schedulerName: string;
  readonly percentageOfNodesToScore: number;
  /** Whether the next attempt is measured. */
  readonly takesSample?: () => boolean;
  /** Event recorder with the name of the scheduler. */
  readonly recorder: EventRecorder;
}

export function profileOf({ profiles }: Needs<'profiles'>, { pod }: PodInfo): SchedulerProfile {
  const profile = profiles.get(pod.spec?.schedulerName ?? '');
  if (!profile) throw new Error(`profile not found for scheduler name ${JSON.stringify(pod.spec?.schedulerName)}`);
  return profile;
}

export type PlaceParts = Needs<'profiles' | 'cache' | 'nominated'>;
export type GiveBackParts = Needs<'profiles' | 'queue' | 'metrics' | 'attempts' | 'client' | 'clock' | 'logger'>;
type FailureParts = GiveBackParts & Needs<'nominated'>;
type BindParts = FailureParts & Needs<'cache' | 'waiting' | 'extenders' | 'tracer'>;
export type AttemptParts = PlaceParts & BindParts & Needs<'activity'>;

/** Keeps the position where the search for nodes stopped. */
export interface Rotation {
  next: number;
}

/**
 * Schedules one pod: finds a node, assumes the pod there, and binds it in the background, so that the next
 * pod can be scheduled at once. A pod that fits nowhere returns to the queue with the reason.
 *
 * Scheduling with extenders is asynchronous: the next pod must wait for the promise.
 */
export function scheduleOne(queued: QueuedPod, parts: AttemptParts, rotation: Rotation): Promise<void> | undefined {
  const attempt = { queued, startedAt: parts.clock.now() };
  try {
    return tryOne(attempt, parts, rotation);
  } catch (error) {
    // A plugin or an extender threw. The pod is retried later; the loop continues with the next one.
    void inBackground(parts, () => giveBack(attempt, parts, { condition: failureOf(error) }));
    return undefined;
  }
}

function tryOne(attempt: Attempt, parts: AttemptParts, rotation: Rotation): Promise<void> | undefined {
  const { queued } = attempt;
  const { info } = queued;
  if (info.isTerminating) {
    skipTerminating(queued, parts);
    return undefined;
  }
  parts.tracer.step('scheduler.schedule', `pods/${info.key}`);
  const extenders = extendersFor(info, parts);
  if (extenders.length > 0) return scheduleExtended(attempt, parts, { rotation, extenders });
  void goOn(attempt, parts, tryToPlace(info, parts, rotation));
  return undefined;
}

export function skipTerminating(queued: QueuedPod, parts: Needs<'profiles' | 'queue'>): void {
  const { info } = queued;
  const message = `skip schedule deleting pod: ${info.key}`;
  profileOf(parts, info).recorder.event(info.pod, 'Warning', 'FailedScheduling', message, 'Scheduling');
  parts.queue.done(queued);
}

/** Extenders that filter or prioritize for the pod. One that only binds is called in the binding cycle. */
export function extendersFor({ pod }: PodInfo, { extenders }: Needs<'extenders'>): readonly Extender[] {
  if (extenders.length === 0) return extenders;
  return extenders.filter(
    (extender) => (extender.filter || extender.prioritize || extender.preempt) && extender.isInterested(pod),
  );
}

/** The placement, or the error of the search. */
export type Attempted = Placement | { readonly kind: 'failed'; readonly error: unknown };

/** The rest is done in the background; the promise resolves when it is done. */
export function goOn(attempt: Attempt, parts: AttemptParts, placement: Attempted): Promise<void> {
  const { info } = attempt.queued;
  parts.metrics.algorithm(parts.clock.now() - attempt.startedAt);
  if (placement.kind === 'failed') {
    parts.nominated.remove(info.uid);
    const condition = { ...failureOf(placement.error), nominatedNode: '' };
    return inBackground(parts, () => giveBack(attempt, parts, { condition }));
  }
  if (placement.kind === 'unplaced') return inBackground(parts, () => afterFailure(attempt, parts, placement));
  const { node, evaluated, feasible, state } = placement;
  parts.tracer.step('scheduler.place', `pods/${info.key}`, { node: node.name, evaluated, feasible });
  parts.cache.assume(info, node.name);
  return inBackground(parts, (resting) => bindAssumed(attempt, parts, { node: node.name, state, resting }));
}

async function scheduleExtended(
  attempt: Attempt,
  parts: AttemptParts,
  { rotation, extenders }: { readonly rotation: Rotation; readonly extenders: readonly Extender[] },
): Promise<void> {
  const { info } = attempt.queued;
  const placement = await tryToPlaceExtended(info, parts, { rotation, extenders });
  // The pod was deleted, or bound by another client, while extenders were called.
  if (!parts.queue.has(info.uid)) return;
  const rest = goOn(attempt, parts, placement);
  // Extenders are called for preemption too: no other pod may take the resources before the node is nominated.
  if (placement.kind === 'unplaced') await rest;
}

/** A pod in an attempt, and its start time. */
export interface Attempt {
  readonly queued: QueuedPod;
  readonly startedAt: Millis;
}

export function failureOf(error: unknown): SchedulingCondition {
  return { reason: 'SchedulerError', message: messageOf(error) };
}

/** `nodes`: the candidate nodes; all if absent. */
export function tryToPlace(
  info: PodInfo,
  parts: PlaceParts,
  rotation: Rotation,
  nodes?: readonly NodeInfo[],
): Attempted {
  try {
    const input = cycleInput(info, parts, rotation, nodes);
    const placement = placePod(info, input);
    rotate(rotation, placement, input);
    return placement;
  } catch (error) {
    return { kind: 'failed', error };
  }
}

export interface ExtendedSearch {
  readonly rotation: Rotation;
  readonly extenders: readonly Extender[];
  readonly nodes?: readonly NodeInfo[] | undefined;
}

export async function tryToPlaceExtended(
  info: PodInfo,
  parts: PlaceParts & Needs<'logger'>,
  { rotation, extenders, nodes }: ExtendedSearch,
): Promise<Attempted> {
  try {
    const input = cycleInput(info, parts, rotation, nodes);
    const placement = await placePodWithExtenders(info, { ...input, extenders, logger: parts.logger });
    rotate(rotation, placement, input);
    return placement;
  } catch (error) {
    return { kind: 'failed', error };
  }
}

function cycleInput(
  info: PodInfo,
  parts: PlaceParts,
  { next }: Rotation,
  nodes: readonly NodeInfo[] = parts.cache.nodes(),
): CycleInput {
  const { nominated, cache } = parts;
  const profile = profileOf(parts, info);
  const isSampled = profile.takesSample?.() ?? false;
  return {
    profile: profileIn({ isSampled }, profile),
    isSampled,
    percentageOfNodesToScore: profile.percentageOfNodesToScore,
    nodes,
    ...(nodes === cache.nodes() && { tallies: cache.tallies, nominatedNodes: nominatedNodes(parts) }),
    startAt: next,
    nominated: (node) => nominated.on(node),
    nominatedNode: nominated.nodeOf(info.uid),
  };
}

/** Few nodes are looked up individually: that is less work than checking each node of an attempt by name. */
function nominatedNodes({ nominated, cache }: PlaceParts): ReadonlySet<NodeInfo> {
  const nodes = new Set<NodeInfo>();
  for (const name of nominated.nodes) {
    const node = cache.node(name);
    if (node) nodes.add(node);
  }
  return nodes;
}

function rotate(rotation: Rotation, { evaluated }: Placement, { nodes }: CycleInput): void {
  if (nodes.length > 0) rotation.next = (rotation.next + evaluated) % nodes.length;
}

async function bindAssumed(
  attempt: Attempt,
  parts: BindParts,
  { node, state, resting }: { node: string; state: CycleState; resting: Resting },
): Promise<void> {
  const { queued, startedAt } = attempt;
  const { info } = queued;
  const { cache, waiting, tracer, queue, nominated, metrics, clock, extenders, logger } = parts;
  const profile = profileOf(parts, info);
  state.resting = resting;
  tracer.step('scheduler.bind', `pods/${info.key}`);
  const nominate = async () => {
    const pod = await nominatePod(parts, info, node);
    // The watch does not notify the queue of assumed pods.
    if (pod) queue.refresh(podInfoOf(pod, info.pod));
  };
  const outcome = await bindPod({ profile, state, pod: info, node, waiting, extenders, logger, nominate });
  if (outcome.kind === 'bound') {
    cache.finishBinding(info.uid);
    queue.done(queued);
    nominated.remove(info.uid);
    parts.attempts.add(info.uid, { at: clock.now(), outcome: 'bound', node });
    metrics.attempt('scheduled', profile.schedulerName, clock.now() - startedAt);
    metrics.bound({ attempts: queued.attempts, waitedMs: monotonicNow(clock) - queued.firstQueuedAt });
    profile.recorder.event(info.pod, 'Normal', 'Scheduled', `Successfully assigned ${info.key} to ${node}`, 'Binding');
    return;
  }
  cache.forget(info.uid);
  // The resources that it was to take are free again.
  queue.onEvent({ kind: 'pod-deleted', pod: info }, { except: info.uid });
  // Clears the nomination.
  nominated.remove(info.uid);
  if (outcome.kind === 'refused') {
    const refusedBy = new Set([outcome.plugin]);
    const message = describeFailure({
      nodeCount: 1,
      failures: new Map([[node, unschedulable(...outcome.reasons)]]),
      refusedBy,
    });
    await giveBack(attempt, parts, { condition: { reason: 'Unschedulable', message, nominatedNode: '' }, refusedBy });
    return;
  }
  // The pod was deleted while it was being bound: nothing is left to do.
  if (isPodGone(outcome.error, info)) queue.done(queued);
  else await giveBack(attempt, parts, { condition: { ...failureOf(outcome.error), nominatedNode: '' } });
}

async function afterFailure(attempt: Attempt, parts: FailureParts, unplaced: Unplaced): Promise<void> {
  if (unplaced.failure.nodeCount === 0) {
    parts.nominated.remove(attempt.queued.info.uid);
    await giveBack(attempt, parts, {
      condition: { reason: 'Unschedulable', message: 'no nodes available to schedule pods', nominatedNode: '' },
      refusedBy: new Set(['NodeName', 'NodeResourcesFit']),
    });
    return;
  }
  const condition = await makeRoom(attempt.queued.info, parts, unplaced);
  await giveBack(attempt, parts, { condition, refusedBy: unplaced.failure.refusedBy });
}

/** Runs the PostFilter plugins for a pod that fits nowhere, and returns the result. */
export async function makeRoom(
  info: PodInfo,
  parts: Needs<'profiles' | 'nominated' | 'metrics' | 'queue'>,
  { failure, state }: Unplaced,
): Promise<SchedulingCondition> {
  const { nominated, metrics, queue } = parts;
  const profile = profileIn(state, profileOf(parts, info));
  if (profile.postFilter.length > 0) metrics.preempting();
  const runAll = () => postFilter(profile, info, { failure, state });
  const { nominatedNode, message } = await atAsyncPoint(profile, 'PostFilter', runAll, statusOfPostFilter);
  if (nominatedNode !== undefined && queue.has(info.uid)) nominated.add(info, nominatedNode);
  return {
    reason: 'Unschedulable',
    message: describeFailure(failure, message),
    ...(nominatedNode !== undefined && { nominatedNode }),
  };
}

/** The first plugin that succeeds is the last that is called. */
async function postFilter(
  profile: Profile,
  info: PodInfo,
  { failure, state }: Pick<Unplaced, 'failure' | 'state'>,
): Promise<PostFilterResult> {
  const messages: string[] = [];
  let cleared: PostFilterResult | undefined;
  for (const plugin of profile.postFilter) {
    const result = await plugin.postFilter(state, info, failure.failures);
    if (result.nominatedNode) return { nominatedNode: result.nominatedNode, message: '' };
    if (result.nominatedNode === '') cleared = result;
    if (result.message !== '') messages.push(result.message);
  }
  return { ...(cleared && { nominatedNode: '' }), message: messages.join(', ') };
}

export interface FailedAttempt {
  readonly condition: SchedulingCondition;
  /** The plugins whose events may help. */
  readonly refusedBy?: ReadonlySet<string>;
}

/** Returns the pod to the queue, and reports why in the pod's status and as an event. */
export async function giveBack(
  { queued, startedAt }: Attempt,
  parts: GiveBackParts,
  { condition, refusedBy = new Set() }: FailedAttempt,
): Promise<void> {
  // Another client has bound the pod meanwhile, or it was deleted.
  if (!parts.queue.has(queued.info.uid)) return;
  const { info } = queued;
  const result = condition.reason === 'Unschedulable' ? 'unschedulable' : 'error';
  parts.metrics.attempt(result, info.pod.spec?.schedulerName ?? '', parts.clock.now() - startedAt);
  parts.queue.refuse(queued, refusedBy);
  parts.attempts.add(info.uid, { at: parts.clock.now(), outcome: result, message: condition.message });
  parts.profiles
    .get(info.pod.spec?.schedulerName ?? '')
    ?.recorder.event(info.pod, 'Warning', 'FailedScheduling', condition.message, 'Scheduling');
  await reportUnscheduled(parts, info, condition);
}

type Resting = CycleState['resting'];

/** Never rejects. While the pod waits, which may take minutes, the scheduler counts as idle. */
export function inBackground(
  { activity, logger }: Needs<'activity' | 'logger'>,
  work: (resting: Resting) => Promise<void>,
): Promise<void> {
  let begun = activity.begin();
  const resting: Resting = async (wait) => {
    begun[Symbol.dispose]();
    try {
      return await wait;
    } finally {
      begun = activity.begin();
    }
  };
  return work(resting)
    .catch((error) => logger.error('scheduling a pod failed', { error }))
    .finally(() => begun[Symbol.dispose]());
}
