import { type Container, mayRestart, type Pod } from '@coracle/api';

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

/**
 * The container's own restart policy, otherwise the pod's. Init containers without one are not restarted after success.
 */
export function restartPolicyOf({ spec }: Pod, container: Container): RestartPolicy {
  const own = container.restartPolicy ?? spec?.restartPolicy ?? 'Always';
  const init = spec?.initContainers?.some(({ name }) => name === container.name) ?? false;
  if (init && container.restartPolicy !== 'Always' && own === 'Always') return 'OnFailure';
  return own as RestartPolicy;
}

/** Whether a container that ended with `exitCode` is restarted. Its rules take precedence over its policy. */
export function isRestarted(pod: Pod, container: Container, exitCode: number): boolean {
  return mayRestart(container, { restartPolicy: restartPolicyOf(pod, container) }, exitCode);
}

/** A sidecar: an init container that keeps running. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}
