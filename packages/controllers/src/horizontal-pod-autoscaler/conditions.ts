import type { autoscalingv2 } from '@coracle/api';

type Condition = autoscalingv2.HorizontalPodAutoscalerCondition;

export interface ConditionInput {
  readonly type: 'AbleToScale' | 'ScalingActive' | 'ScalingLimited';
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The conditions with this one in its place. The time changes with the status alone. */
export function withCondition(
  conditions: readonly Condition[],
  { type, status, reason, message }: ConditionInput,
  now: string,
): Condition[] {
  const value = status ? 'True' : 'False';
  const before = conditions.find((one) => one.type === type);
  const lastTransitionTime = before?.status === value ? (before.lastTransitionTime ?? now) : now;
  const condition: Condition = { type, status: value, lastTransitionTime, reason, message };
  return before ? conditions.map((one) => (one === before ? condition : one)) : [...conditions, condition];
}
