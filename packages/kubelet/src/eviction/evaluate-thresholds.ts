import type { Millis } from '@coracle/base';
import type { HostUsage } from '../host-usage.js';
import type { PressureCondition } from '../node-conditions.js';
import { amountIn, signals, type Threshold } from './thresholds.js';

/** State between two measurements. */
export interface PressureState {
  /** The time since which each threshold has been crossed. */
  readonly crossedSince: ReadonlyMap<Threshold, Millis>;
  /** The time at which each condition was last met. */
  readonly observedAt: ReadonlyMap<PressureCondition, Millis>;
  /** The thresholds that were crossed for their grace period. */
  readonly met: readonly Threshold[];
  readonly conditions: ReadonlySet<PressureCondition>;
  /** The last measurement. */
  readonly usageAt: Millis | undefined;
}

export const noPressure: PressureState = Object.freeze({
  crossedSince: new Map<Threshold, Millis>(),
  observedAt: new Map<PressureCondition, Millis>(),
  met: [],
  conditions: new Set<PressureCondition>(),
  usageAt: undefined,
});

export interface PressureInput {
  readonly thresholds: readonly Threshold[];
  readonly usage: HostUsage;
  readonly now: Millis;
  /** Time for which conditions stay true after the pressure has ended. */
  readonly transitionMs: Millis;
}

export interface PressureVerdict {
  readonly state: PressureState;
  /** Thresholds that are met and were seen in a new measurement. Memory comes first. */
  readonly toReclaim: readonly Threshold[];
}

/** Pure: evaluates thresholds, grace periods, and the node's conditions. */
export function evaluateThresholds(before: PressureState, input: PressureInput): PressureVerdict {
  const { thresholds, usage, now, transitionMs } = input;
  const unresolved = new Set(before.met.filter((threshold) => isCrossed(threshold, usage, true)));
  const crossed = thresholds.filter((threshold) => unresolved.has(threshold) || isCrossed(threshold, usage, false));
  if (crossed.length === 0 && before.observedAt.size === 0)
    return { state: { ...noPressure, usageAt: usage.at }, toReclaim: [] };
  const crossedSince = new Map(crossed.map((one) => [one, before.crossedSince.get(one) ?? now]));
  const observedAt = new Map([...before.observedAt].filter(([, at]) => now - at < transitionMs));
  for (const { signal } of crossed) observedAt.set(signals[signal].condition, now);
  const met = crossed.filter((threshold) => now - (crossedSince.get(threshold) ?? now) >= threshold.graceMs);
  const isNew = before.usageAt === undefined || usage.at > before.usageAt;
  return {
    state: { crossedSince, observedAt, met, conditions: new Set(observedAt.keys()), usageAt: usage.at },
    toReclaim: isNew ? [...met].sort(memoryFirst) : [],
  };
}

/** Whether less than the threshold is available; `withReclaim` adds the minimum to reclaim. */
export function isCrossed({ signal, value, minReclaim }: Threshold, usage: HostUsage, withReclaim: boolean): boolean {
  const room = signals[signal].of(usage);
  if (!room) return false;
  const reclaim = withReclaim && minReclaim ? amountIn(minReclaim, room.capacity) : 0;
  return room.available < amountIn(value, room.capacity) + reclaim;
}

function memoryFirst(a: Threshold, b: Threshold): number {
  const order = ({ signal }: Threshold) => (signals[signal].resource === 'memory' ? 0 : 1);
  return order(a) - order(b);
}
