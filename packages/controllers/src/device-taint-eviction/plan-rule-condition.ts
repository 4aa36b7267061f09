import type { Condition, resourcev1beta2 } from '@coracle/api';

/** The effects of a rule in the cluster. */
export interface RuleEffects {
  /** Pods to be evicted because of the rule; with effect None, pods that it would evict. */
  readonly pods: number;
  /** Number of namespaces of these pods. */
  readonly namespaces: number;
  /** Devices in slices that the rule selects. */
  readonly published: number;
  /** Devices of claims that the rule selects. */
  readonly allocated: number;
  /** Pods that were evicted because of the rule since the controller started. */
  readonly evicted: number;
}

export const conditionType = 'EvictionInProgress';

/** The condition `EvictionInProgress` of a DeviceTaintRule, with the messages of upstream v1.36. */
export function planRuleCondition(
  { spec }: resourcev1beta2.DeviceTaintRule,
  effects: RuleEffects,
): Pick<Condition, 'type' | 'status' | 'reason' | 'message'> {
  const { evicted } = effects;
  const { inProgress = false, reason, message } = outcomeOf(spec.taint.effect, effects);
  const history = evicted > 0 ? `${count(evicted, 'pod')} evicted since starting the controller.` : '';
  return {
    type: conditionType,
    status: inProgress ? 'True' : 'False',
    reason,
    message: [message, history].filter(Boolean).join(' '),
  };
}

function outcomeOf(
  effect: string,
  { pods, namespaces, published, allocated, evicted }: RuleEffects,
): { readonly inProgress?: boolean; readonly reason: string; readonly message: string } {
  const where = namespaces === 1 ? '1 namespace' : `${namespaces} different namespaces`;
  if (effect === 'None')
    return {
      reason: 'NoEffect',
      message: [
        `${count(published, 'published device')} selected.`,
        `${count(allocated, 'allocated device')} selected.`,
        `${count(pods, 'pod')} would be evicted in ${where} if the effect was NoExecute.`,
        'This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.',
      ].join(' '),
    };
  if (effect !== 'NoExecute')
    return { reason: 'OtherEffect', message: 'Eviction only happens for the NoExecute effect.' };
  if (pods === 0) return { reason: evicted > 0 ? 'Completed' : 'NotStarted', message: '' };
  const need = pods === 1 ? '1 pod needs' : `${pods} pods need`;
  return { inProgress: true, reason: 'PodsPendingEviction', message: `${need} to be evicted in ${where}.` };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
