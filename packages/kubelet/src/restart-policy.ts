import { type Container, mayRestart, type Pod } from '@coracle/api';

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

/** The container's own policy if it has one, else the pod's. Init containers without one are not kept running. */
export function restartPolicyOf({ spec }: Pod, container: Container): RestartPolicy {
  const own = container.restartPolicy ?? spec?.restartPolicy ?? 'Always';
  const init = spec?.initContainers?.some(({ name }) => name === container.name) ?? false;
  if (init && container.restartPolicy !== 'Always' && own === 'Always') return 'OnFailure';
  return own as RestartPolicy;
}

/** Whether a container that ended with `exitCode` is started again. Its rules come first, then its policy. */
export function isRestarted(pod: Pod, container: Container, exitCode: number): boolean {
  return mayRestart(container, { restartPolicy: restartPolicyOf(pod, container) }, exitCode);
}

/** An init container that continues to run beside the others. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}
