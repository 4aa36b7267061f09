import type { NodeCondition } from '@coracle/api';
import { findCondition, formatTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

type Verdict = Pick<NodeCondition, 'type' | 'status' | 'reason' | 'message'>;

/** Pressures of a node, by the names of its conditions. */
export type PressureCondition = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';

export interface NodeHealth {
  readonly pressures: ReadonlySet<PressureCondition>;
  /** Why the node cannot run pods. */
  readonly problems: readonly string[];
}

/** Reason and message with pressure, and without. */
const pressureTexts: Readonly<Record<PressureCondition, readonly [under: Said, without: Said]>> = {
  MemoryPressure: [
    ['KubeletHasInsufficientMemory', 'kubelet has insufficient memory available'],
    ['KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ],
  DiskPressure: [
    ['KubeletHasDiskPressure', 'kubelet has disk pressure'],
    ['KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ],
  PIDPressure: [
    ['KubeletHasInsufficientPID', 'kubelet has insufficient PID available'],
    ['KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ],
};
type Said = readonly [reason: string, message: string];

/** Reasons of events when pressure begins and ends. */
const pressureEvents: Readonly<Record<PressureCondition, readonly [under: string, without: string]>> = {
  MemoryPressure: ['NodeHasInsufficientMemory', 'NodeHasSufficientMemory'],
  DiskPressure: ['NodeHasDiskPressure', 'NodeHasNoDiskPressure'],
  PIDPressure: ['NodeHasInsufficientPID', 'NodeHasSufficientPID'],
};

/** The reasons of events for conditions that have changed; Ready comes last. */
export function conditionEvents(before: readonly NodeCondition[], after: readonly NodeCondition[]): string[] {
  const readiness = changes(before, after, { type: 'Ready', reasons: ['NodeReady', 'NodeNotReady'], unset: 'False' });
  return [...pressureChanges(before, after), ...readiness];
}

/**
 * The same for pressure conditions. A condition that was never reported counts as Unknown, so that its first report is
 * a change.
 */
export function pressureChanges(before: readonly NodeCondition[], after: readonly NodeCondition[]): string[] {
  return pressureConditions.flatMap((type) =>
    changes(before, after, { type, reasons: pressureEvents[type], unset: 'Unknown' }),
  );
}

interface WatchedCondition {
  readonly type: string;
  readonly reasons: readonly [isTrue: string, isFalse: string];
  /** The status of a condition that was not reported before. */
  readonly unset: string;
}

function changes(
  before: readonly NodeCondition[],
  after: readonly NodeCondition[],
  { type, reasons: [isTrue, isFalse], unset }: WatchedCondition,
): string[] {
  const now = findCondition(after, type)?.status;
  const old = findCondition(before, type)?.status ?? unset;
  return old === now ? [] : [now === 'True' ? isTrue : isFalse];
}

const pressureConditions = ['MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

/** The node's conditions, with those of the kubelet updated. Ready comes last. */
export function nodeConditions(health: NodeHealth, previous: readonly NodeCondition[], now: Millis): NodeCondition[] {
  const own = [...pressureConditions.map((type) => pressure(type, health)), readiness(health)].map(
    (verdict): NodeCondition => {
      const before = findCondition(previous, verdict.type);
      const unchanged = before?.status === verdict.status && before.lastTransitionTime;
      return { ...verdict, lastHeartbeatTime: formatTime(now), lastTransitionTime: unchanged || formatTime(now) };
    },
  );
  const types = new Set(own.map(({ type }) => type));
  return [...previous.filter(({ type }) => !types.has(type)), ...own];
}

function pressure(type: PressureCondition, { pressures }: NodeHealth): Verdict {
  const [under, without] = pressureTexts[type];
  const isUnder = pressures.has(type);
  const [reason, message] = isUnder ? under : without;
  return { type, status: isUnder ? 'True' : 'False', reason, message };
}

function readiness({ problems }: NodeHealth): Verdict {
  return problems.length === 0
    ? { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }
    : { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: aggregate(problems) };
}

/** Several problems are in brackets, a single one is not. */
function aggregate(problems: readonly string[]): string {
  return problems.length === 1 ? problems.join() : `[${problems.join(', ')}]`;
}
