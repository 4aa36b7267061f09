import type { Container, ContainerRestartRule, PodSpec } from '../../generated/types/core-v1.js';

/** Whether a container that ended with `exitCode` may run again: by its rules, its own policy, or that of its pod. */
export function mayRestart(container: Container, spec: Pick<PodSpec, 'restartPolicy'>, exitCode: number): boolean {
  const rule = container.restartPolicyRules?.find((one) => applies(one, exitCode));
  if (rule?.action === 'Restart' || rule?.action === 'RestartAllContainers') return true;
  const policy = container.restartPolicy ?? spec.restartPolicy;
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

function applies({ exitCodes }: ContainerRestartRule, exitCode: number): boolean {
  const listed = exitCodes?.values?.includes(exitCode) ?? false;
  if (exitCodes?.operator === 'In') return listed;
  return exitCodes?.operator === 'NotIn' && !listed;
}

/** Whether the end of some container can make all of them start again. */
export function mayRestartAll({ containers = [], initContainers = [] }: PodSpec): boolean {
  return [...initContainers, ...containers].some(({ restartPolicyRules }) =>
    restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers'),
  );
}
