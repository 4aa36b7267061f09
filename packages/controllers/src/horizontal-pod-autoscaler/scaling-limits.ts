import type { autoscalingv2 } from '@coracle/api';
import type { Millis } from '@coracle/base';

/** A recommendation at a time. */
export interface Recommendation {
  readonly replicas: number;
  readonly at: Millis;
}

/** A rescale at a time: the number of replicas that were added or removed. */
export interface ScaleEvent {
  readonly change: number;
  readonly at: Millis;
}

export interface ScalingHistory {
  readonly recommendations: readonly Recommendation[];
  readonly ups: readonly ScaleEvent[];
  readonly downs: readonly ScaleEvent[];
}

type Rules = autoscalingv2.HPAScalingRules | undefined;

export const noHistory: ScalingHistory = { recommendations: [], ups: [], downs: [] };

export interface Reason {
  readonly reason: string;
  readonly message: string;
}

export interface Limited {
  readonly replicas: number;
  /** Why the recommendation was limited; `undefined` if it was not. */
  readonly stabilized: Reason | undefined;
  readonly isLimited: boolean;
  readonly limit: Reason;
}

export interface LimitInput {
  readonly spec: autoscalingv2.HorizontalPodAutoscalerSpec;
  readonly current: number;
  readonly desired: number;
  readonly history: ScalingHistory;
  readonly now: Millis;
  /** `--horizontal-pod-autoscaler-downscale-stabilization`. */
  readonly downscaleMs: Millis;
}

const lowerBefore = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const higherBefore = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};
const withinRange = { reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' };
const tooFew = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
};
const tooMany = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
};
const tooFast = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const tooFastDown = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};

/** HPA-13: applies stabilization and policies to a recommendation, given recent recommendations and rescales. Pure. */
export function limitScaling(input: LimitInput): Limited {
  const { desired, current, spec } = input;
  const stable = spec.behavior ? stabilizeByRules(input) : highest(input);
  const stabilized = stable === desired ? undefined : spec.behavior && desired >= current ? lowerBefore : higherBefore;
  const { replicas, limit } = spec.behavior ? limitByRules(input, stable) : limitByDefault(input, stable);
  return { replicas, stabilized, isLimited: replicas !== stable, limit };
}

function highest({ desired, history, now, downscaleMs }: LimitInput): number {
  const recent = history.recommendations.filter(({ at }) => at > now - downscaleMs);
  return Math.max(desired, ...recent.map(({ replicas }) => replicas));
}

function stabilizeByRules({ spec, current, desired, history, now, downscaleMs }: LimitInput): number {
  const { scaleUp, scaleDown } = spec.behavior ?? {};
  const upMs = (scaleUp?.stabilizationWindowSeconds ?? 0) * 1000;
  const downMs =
    scaleDown?.stabilizationWindowSeconds === undefined ? downscaleMs : scaleDown.stabilizationWindowSeconds * 1000;
  const since = (windowMs: Millis) =>
    history.recommendations.flatMap(({ replicas, at }) => (at > now - windowMs ? [replicas] : []));
  const lowest = Math.min(desired, ...since(upMs));
  const highestRecent = Math.max(desired, ...since(downMs));
  return Math.min(Math.max(current, lowest), highestRecent);
}

function limitByDefault({ spec, current }: LimitInput, desired: number): { replicas: number; limit: Reason } {
  const { minReplicas = 1, maxReplicas } = spec;
  const upLimit = Math.max(2 * current, 4);
  if (desired < minReplicas) return { replicas: minReplicas, limit: tooFew };
  if (desired > Math.min(upLimit, maxReplicas))
    return upLimit < maxReplicas ? { replicas: upLimit, limit: tooFast } : { replicas: maxReplicas, limit: tooMany };
  return { replicas: desired, limit: withinRange };
}

function limitByRules(input: LimitInput, desired: number): { replicas: number; limit: Reason } {
  const { spec, current } = input;
  const { minReplicas = 1, maxReplicas, behavior } = spec;
  if (desired > current) {
    const upLimit = Math.max(current, rateLimit(input, behavior?.scaleUp, 'up'));
    const highestAllowed = Math.min(maxReplicas, upLimit);
    if (desired > highestAllowed) return { replicas: highestAllowed, limit: upLimit < maxReplicas ? tooFast : tooMany };
  } else if (desired < current) {
    const downLimit = Math.min(current, rateLimit(input, behavior?.scaleDown, 'down'));
    const lowestAllowed = Math.max(minReplicas, downLimit);
    if (desired < lowestAllowed)
      return { replicas: lowestAllowed, limit: downLimit > minReplicas ? tooFastDown : tooFew };
  }
  return { replicas: desired, limit: withinRange };
}

/** The replica count that the policies allow now. Each is relative to the count at the start of its period. */
function rateLimit({ current, history, now }: LimitInput, rules: Rules, direction: 'up' | 'down'): number {
  if (rules?.selectPolicy === 'Disabled') return current;
  const allowed = (rules?.policies ?? []).map(({ type, value, periodSeconds }) => {
    const within = (events: readonly ScaleEvent[]) =>
      events.reduce((sum, { change, at }) => (at > now - periodSeconds * 1000 ? sum + change : sum), 0);
    const start = current - within(history.ups) + within(history.downs);
    if (type === 'Pods') return direction === 'up' ? start + value : start - value;
    return direction === 'up' ? Math.ceil(start * (1 + value / 100)) : Math.trunc(start * (1 - value / 100));
  });
  const takesLargest = (rules?.selectPolicy === 'Min') !== (direction === 'up');
  return takesLargest ? Math.max(...allowed) : Math.min(...allowed);
}

/** Adds the current recommendation, and drops expired ones. */
export function rememberRecommendation(
  history: ScalingHistory,
  { spec, desired, now, downscaleMs }: Pick<LimitInput, 'spec' | 'desired' | 'now' | 'downscaleMs'>,
): ScalingHistory {
  const { scaleUp, scaleDown } = spec.behavior ?? {};
  const windowMs = Math.max(
    (scaleUp?.stabilizationWindowSeconds ?? 0) * 1000,
    scaleDown?.stabilizationWindowSeconds === undefined ? downscaleMs : scaleDown.stabilizationWindowSeconds * 1000,
  );
  const recent = history.recommendations.filter(({ at }) => at > now - windowMs);
  return { ...history, recommendations: [...recent, { replicas: desired, at: now }] };
}

/** Adds a successful rescale, and drops expired ones. Only policies use it. */
export function rememberRescale(
  history: ScalingHistory,
  { spec, current, now, result }: Pick<LimitInput, 'spec' | 'current' | 'now'> & { readonly result: number },
): ScalingHistory {
  const { behavior } = spec;
  if (!behavior) return history;
  const change = result - current;
  const recent = (events: readonly ScaleEvent[], rules: Rules) =>
    events.filter(({ at }) => at > now - longestPeriodMs(rules));
  const ups = recent(history.ups, behavior.scaleUp);
  const downs = recent(history.downs, behavior.scaleDown);
  return {
    ...history,
    ups: change > 0 ? [...ups, { change, at: now }] : ups,
    downs: change < 0 ? [...downs, { change: -change, at: now }] : downs,
  };
}

function longestPeriodMs(rules: Rules): Millis {
  return Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds * 1000));
}
