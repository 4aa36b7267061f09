import type { Container, ContainerRestartRule, PodSpec } from '../../generated/types/core-v1.js';

/** Whether a container that ended with `exitCode` may run again: by its rules, its own policy, or that of its pod. */
export function mayRestart(container: Container, spec: Pick<PodSpec, 'restartPolicy'>, exitCode: number): boolean {
  const action = actionOn(container, exitCode);
  if (action === 'Restart' || action === 'RestartAllContainers') return true;
  const policy = container.restartPolicy ?? spec.restartPolicy;
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

/** Whether the container's rules restart all containers of its pod when it ends with `exitCode`. */
export function restartsAll(container: Container, exitCode: number): boolean {
  return actionOn(container, exitCode) === 'RestartAllContainers';
}

/** Of the first rule that matches. */
function actionOn({ restartPolicyRules }: Container, exitCode: number): string | undefined {
  return restartPolicyRules?.find((rule) => applies(rule, exitCode))?.action;
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
