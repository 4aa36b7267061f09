import {
  disruptionAllowed,
  disruptionConditions,
  isTerminalPhase,
  type Pod,
  type PodDisruptionBudget,
  syncFailed,
} from '@coracle/api';
import {
  failure,
  findCondition,
  forbidden,
  formatTime,
  isConditionTrue,
  type StatusError,
} from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

const budgets = { group: 'policy', resource: 'poddisruptionbudget' };
const cause = 'DisruptionBudget';
const violation = "Cannot evict pod as it would violate the pod's disruption budget.";
/** Maximum number of disrupted pods: beyond it, the disruption controller is not keeping up. */
const mostDisrupted = 2000;

/** A pod that is pending, finished or terminating can be evicted regardless of its budget. */
export function needsNoBudget({ metadata, status }: Pod): boolean {
  const phase = status?.phase;
  const idle = isTerminalPhase(phase) || phase === 'Pending';
  return idle || metadata.deletionTimestamp !== undefined;
}

/** Pods that are not ready do not count as healthy: evicting them is allowed if enough others are healthy. */
export function isFreeOfBudget(pod: Pod, { spec, status }: PodDisruptionBudget): boolean {
  if (isConditionTrue(pod.status?.conditions, 'Ready')) return false;
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

/** Why a budget allows no eviction now; `undefined` if it does. */
export function evictionRefusal(budget: PodDisruptionBudget): StatusError | undefined {
  const { metadata, status = {} } = budget;
  const { name = '', generation = 0 } = metadata;
  const { disruptionsAllowed: allowed = 0 } = status;
  if ((status.observedGeneration ?? 0) < generation) return notYetKnown(name);
  if (allowed < 0) return impossible(name, 'pdb disruptions allowed is negative');
  if (Object.keys(status.disruptedPods ?? {}).length > mostDisrupted) {
    return impossible(name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  }
  return allowed > 0 ? undefined : tooMany(explanation(budget));
}

/** The controller has not observed the current budget, or the budget has changed meanwhile. */
export function notYetKnown(budget: string): StatusError {
  return tooMany(`The disruption budget ${budget} is still being processed by the server.`, 10);
}

/** The budget with one disruption less. The pod is recorded, so that the controller no longer counts it as healthy. */
export function withDisruption(budget: PodDisruptionBudget, pod: string, now: Millis): PodDisruptionBudget {
  const { status = {} } = budget;
  const disruptionsAllowed = (status.disruptionsAllowed ?? 0) - 1;
  const disruptedPods = { ...status.disruptedPods, [pod]: formatTime(now) };
  const next = { ...budget, status: { ...status, disruptionsAllowed, disruptedPods } };
  if (disruptionsAllowed > 0) return next;
  return { ...next, status: { ...next.status, conditions: disruptionConditions(next, now) } };
}

function explanation({ metadata, status = {} }: PodDisruptionBudget): string {
  const { name } = metadata;
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  const condition = findCondition(status.conditions, disruptionAllowed);
  const why = condition?.status === 'False' && condition.message ? condition : undefined;
  // After a failed sync the counts are not reliable.
  if (why?.reason === syncFailed) {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${why.message}`;
  }
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  const detail = why ? ` (${why.reason}): ${why.message}` : '';
  return `The disruption budget ${name} does not allow evicting pods currently${detail}`;
}

function tooMany(message: string, retryAfterSeconds?: number): StatusError {
  return failure('TooManyRequests', violation, {
    causes: [{ reason: cause, message }],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

function impossible(name: string, why: string): StatusError {
  const { message = '', details } = forbidden(budgets, name, why).status;
  const explained = `The disruption budget ${name} does not allow evicting pods currently: ${why}`;
  return failure('Forbidden', message, { ...details, causes: [{ reason: cause, message: explained }] });
}
