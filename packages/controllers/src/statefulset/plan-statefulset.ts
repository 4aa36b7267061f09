import { isTerminalPod, type Pod, type StatefulSet } from '@coracle/api';
import { scaledValue } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { isAvailable, isReady } from '../pod-state.js';
import { firstOrdinal, hasIdentity, ordinalOf, revisionOf } from './identity.js';

export interface StatefulSetView {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  /** Pods that this pass has deleted, though they are still in the list. */
  readonly deleted?: readonly Pod[];
  /** Names of the current and the update revision. */
  readonly currentRevision: string;
  readonly updateRevision: string;
  readonly now: Millis;
  /** Whether the claims of a pod have the owners that the retention policy prescribes. */
  readonly ownsClaims?: (pod: Pod) => boolean;
}

export interface StatefulSetPlan {
  readonly create: readonly { readonly ordinal: number; readonly revision: string }[];
  readonly delete: readonly Pod[];
  /** Pods that have lost their identity, or whose claims have the wrong owners. */
  readonly repair: readonly Pod[];
  /** Pods beyond the number of replicas to delete now. */
  readonly condemned: readonly Pod[];
  /** Pending pods: if their claim was deleted meanwhile, it has to be created again. */
  readonly pending: readonly Pod[];
}

const nothing: StatefulSetPlan = { create: [], delete: [], repair: [], condemned: [], pending: [] };

/**
 * The next step. OrderedReady does one thing at a time, and each pod waits for those before it; Parallel does
 * everything at once. The replicas are corrected before the revisions. Pure.
 */
export function planStatefulSet(view: StatefulSetView): StatefulSetPlan {
  const inOrder = view.set.spec?.podManagementPolicy !== 'Parallel';
  const slots = slotsOf(view);
  const slotSteps = slots.map((slot) => planSlot(slot, view));
  const steps = [...slotSteps, ...planCondemned(view, slots, inOrder)];
  const { plan: planned, isBlocked } = inOrder ? firstStep(steps) : allSteps(steps);
  const isTheirTurn = !inOrder || slotSteps.every(({ waits }) => !waits);
  const plan = isTheirTurn ? { ...planned, condemned: view.pods.filter((pod) => isCondemned(view, pod)) } : planned;
  if (isBlocked || view.set.spec?.updateStrategy?.type === 'OnDelete') return plan;
  return { ...plan, delete: [...plan.delete, ...planUpdate(view, slots)] };
}

interface Slot {
  readonly ordinal: number;
  readonly pod: Pod | undefined;
}

/** The requested ordinals, and their pods. */
function slotsOf({ set, pods }: StatefulSetView): Slot[] {
  const first = firstOrdinal(set);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod, set), pod]));
  return Array.from({ length: set.spec?.replicas ?? 1 }, (_, index) => ({
    ordinal: first + index,
    pod: byOrdinal.get(first + index),
  }));
}

function isCondemned({ set }: Pick<StatefulSetView, 'set'>, pod: Pod): boolean {
  const ordinal = ordinalOf(pod, set);
  const first = firstOrdinal(set);
  return ordinal !== undefined && (ordinal < first || ordinal >= first + (set.spec?.replicas ?? 1));
}

interface Step extends Partial<StatefulSetPlan> {
  /** With OrderedReady, nothing else is done before this is finished. */
  readonly waits: boolean;
}

function planSlot({ ordinal, pod }: Slot, view: StatefulSetView): Step {
  if (!pod) return { create: [{ ordinal, revision: revisionFor(ordinal, view) }], waits: true };
  if (isTerminalPod(pod)) return { delete: isGoing(pod) ? [] : [pod], waits: true };
  const isPending = pod.status?.phase === 'Pending' && !isGoing(pod);
  // The claims of a pending pod are brought in line with those that it misses.
  const isInOrder = hasIdentity(view.set, pod) && (isPending || (view.ownsClaims?.(pod) ?? true));
  const repair = isInOrder || isGoing(pod) ? [] : [pod];
  const pending = isPending ? [pod] : [];
  return { repair, pending, waits: isGoing(pod) || !isWorking(pod, view) };
}

/** Below the partition, a missing pod is created in the current revision. */
function revisionFor(ordinal: number, { set, currentRevision, updateRevision }: StatefulSetView): string {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (type === 'OnDelete') return updateRevision;
  const currentCount = rollingUpdate ? (rollingUpdate.partition ?? 0) : (set.status?.currentReplicas ?? 0);
  return ordinal < firstOrdinal(set) + currentCount ? currentRevision : updateRevision;
}

/** The highest ordinal is deleted first. An unhealthy pod blocks the others, unless it is the first unhealthy one. */
function planCondemned(view: StatefulSetView, slots: readonly Slot[], inOrder: boolean): Step[] {
  const condemned = view.pods
    .filter((pod) => isCondemned(view, pod))
    .sort((a, b) => (ordinalOf(b, view.set) ?? 0) - (ordinalOf(a, view.set) ?? 0));
  const live = slots.flatMap(({ pod }) => pod ?? []);
  const firstBroken = [...live, ...condemned.toReversed()].find((pod) => !isHealthy(pod));
  return condemned.map((pod) => {
    if (isGoing(pod)) return { waits: true };
    const isHeldUp = inOrder && !isWorking(pod, view) && pod !== firstBroken;
    return { delete: isHeldUp ? [] : [pod], waits: true };
  });
}

interface Steps {
  readonly plan: StatefulSetPlan;
  readonly isBlocked: boolean;
}

function firstStep(steps: readonly Step[]): Steps {
  const repair: Pod[] = [];
  for (const { waits, ...step } of steps) {
    repair.push(...(waits ? [] : (step.repair ?? [])));
    if (waits) return { plan: { ...nothing, ...step, repair }, isBlocked: true };
  }
  return { plan: { ...nothing, repair }, isBlocked: false };
}

function allSteps(steps: readonly Step[]): Steps {
  const plan = {
    ...nothing,
    create: steps.flatMap((step) => step.create ?? []),
    delete: steps.flatMap((step) => step.delete ?? []),
    repair: steps.flatMap((step) => step.repair ?? []),
    pending: steps.flatMap((step) => step.pending ?? []),
  };
  return { plan, isBlocked: plan.create.length + plan.delete.length > 0 };
}

/**
 * Old pods are replaced from the highest ordinal down to the partition: one at a time, each when those above it are
 * healthy, whether the old one was healthy or not; or up to `maxUnavailable` at once.
 */
function planUpdate(view: StatefulSetView, slots: readonly Slot[]): Pod[] {
  const { partition = 0, maxUnavailable } = view.set.spec?.updateStrategy?.rollingUpdate ?? {};
  const targets = slots.slice(partition).reverse();
  if (maxUnavailable === undefined) {
    const next = targets.find((slot) => isOutdated(slot, view) || !isServing(slot, view));
    return next?.pod && isOutdated(next, view) ? [next.pod] : [];
  }
  const most = Math.max(1, scaledValue(maxUnavailable, slots.length, 'down') ?? 1);
  const left = Math.max(0, most - slots.filter((slot) => !isServing(slot, view)).length);
  const old = targets.filter((slot) => isOutdated(slot, view));
  if (view.set.spec?.podManagementPolicy !== 'Parallel') return podsOf(old).slice(0, left);
  // An unhealthy old pod must not block the revision that fixes it.
  const broken = old.filter((slot) => !isServing(slot, view));
  return [...podsOf(broken), ...podsOf(old.filter((slot) => !broken.includes(slot))).slice(0, left)];
}

function podsOf(slots: readonly Slot[]): Pod[] {
  return slots.flatMap(({ pod }) => pod ?? []);
}

function isOutdated({ pod }: Slot, { updateRevision }: StatefulSetView): boolean {
  return pod !== undefined && revisionOf(pod) !== updateRevision && !isGoing(pod);
}

function isServing({ pod }: Slot, view: StatefulSetView): boolean {
  return pod !== undefined && !isGoing(pod) && isWorking(pod, view);
}

export function isGoing({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isRunningAndReady(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && isReady(pod);
}

export function isHealthy(pod: Pod): boolean {
  return isRunningAndReady(pod) && !isGoing(pod);
}

function isWorking(pod: Pod, { set, now }: StatefulSetView): boolean {
  return isRunningAndReady(pod) && isAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
}
