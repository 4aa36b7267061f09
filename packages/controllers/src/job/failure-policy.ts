import type { batchv1, Pod } from '@coracle/api';

export interface FailureVerdict {
  /** `undefined`: no rule matches, and the failure counts against the backoff limit. */
  readonly action: 'FailJob' | 'FailIndex' | 'Ignore' | 'Count' | undefined;
  /** The message of the failed job, with `FailJob`. */
  readonly message?: string;
}

/** The action of the first rule that matches a failed pod. */
export function matchFailurePolicy(policy: batchv1.PodFailurePolicy | undefined, pod: Pod): FailureVerdict {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const reason = rule.onExitCodes ? exitReason(rule.onExitCodes, pod) : conditionReason(rule.onPodConditions, pod);
    if (reason === undefined) continue;
    const action = rule.action as FailureVerdict['action'];
    const message = `${reason} matching ${action} rule at index ${index}`;
    return action === 'FailJob' ? { action, message } : { action };
  }
  return { action: undefined };
}

function exitReason(
  { containerName, operator, values }: batchv1.PodFailurePolicyOnExitCodesRequirement,
  { metadata, status }: Pod,
): string | undefined {
  const ended = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  for (const { name, state } of ended) {
    const exitCode = state?.terminated?.exitCode;
    if (exitCode === undefined || exitCode === 0 || (containerName && containerName !== name)) continue;
    if (values.includes(exitCode) === (operator === 'In'))
      return `Container ${name} for pod ${metadata.namespace}/${metadata.name} failed with exit code ${exitCode}`;
  }
  return undefined;
}

function conditionReason(
  patterns: readonly batchv1.PodFailurePolicyOnPodConditionsPattern[] | undefined,
  { metadata, status }: Pod,
): string | undefined {
  const match = status?.conditions?.find((condition) =>
    patterns?.some(({ type, status: value }) => type === condition.type && (value ?? 'True') === condition.status),
  );
  return match && `Pod ${metadata.namespace}/${metadata.name} has condition ${match.type}`;
}
