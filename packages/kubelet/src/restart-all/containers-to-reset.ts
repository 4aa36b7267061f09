import { type Container, mayRestartAll, type Pod, restartsAll } from '@coracle/api';
import { ContainerState, type ContainerStatus } from '@coracle/cri';
import { hasNeverRun, isRunning, newestContainer, type RuntimePod } from '../runtime-pod.js';

/** A container that is removed from the runtime so that all containers of its pod start again. */
export interface ContainerToReset {
  readonly container: Container;
  readonly id: string;
  readonly isRunning: boolean;
}

/**
 * The containers to remove because one of them has ended with an exit code whose rule says `RestartAllContainers`.
 * Empty without such an exit. The containers that triggered it come last: a kubelet that is restarted in between finds
 * them and continues. Ephemeral containers stay: they never run twice.
 */
export function containersToReset(pod: Pod, state: RuntimePod): readonly ContainerToReset[] {
  if (!pod.spec || !mayRestartAll(pod.spec)) return [];
  const containers = restartable(pod);
  if (!containers.some((container) => isSource(container, newestContainer(state, container.name)))) return [];
  const present = state.containers.flatMap((status) => {
    const container = containers.find(({ name }) => name === status.metadata?.name);
    return container ? [{ container, status }] : [];
  });
  const sources = present.filter(({ container, status }) => isSource(container, status));
  const others = present.filter((one) => !sources.includes(one));
  return [...others, ...sources].map(({ container, status }) => ({
    container,
    id: status.id ?? '',
    isRunning: isRunning(status) || status.state === ContainerState.CONTAINER_UNKNOWN,
  }));
}

/** Names of containers that will start again and that the runtime does not have, in a pod whose rules restart all. */
export function containersToRestart(pod: Pod, state: RuntimePod): ReadonlySet<string> {
  if (!pod.spec || !mayRestartAll(pod.spec)) return new Set();
  const names = restartable(pod).map(({ name }) => name);
  return new Set(names.filter((name) => !newestContainer(state, name)));
}

function restartable({ spec }: Pod): readonly Container[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
}

/** Whether the exit of this container restarts all. */
function isSource(container: Container, status: ContainerStatus | undefined): boolean {
  if (status?.state !== ContainerState.CONTAINER_EXITED || hasNeverRun(status)) return false;
  return restartsAll(container, status.exitCode ?? 0);
}
