import { isConditionTrue } from '@coracle/apimachinery';
import type { ContainerStateTerminated, ContainerStatus, Pod } from '../../generated/types/core-v1.js';
import { isTerminalPhase } from './pod-phase.js';

/**
 * The status of a pod in one word, as `kubectl get` shows it: the phase, unless a container, an init container or the
 * deletion of the pod has more specific information: `Init:1/2`, `CrashLoopBackOff`, `Completed`, `Terminating`.
 */
export function podStatusWord(pod: Pod): string {
  const { metadata, status } = pod;
  const phase = status?.phase ?? '';
  if (metadata.deletionTimestamp) {
    if (status?.reason === 'NodeLost') return 'Unknown';
    if (!isTerminalPhase(phase)) return 'Terminating';
  }
  const word = isGated(pod) ? 'SchedulingGated' : status?.reason || phase;
  const stopped = stoppedInitContainer(pod);
  if (stopped === undefined) return wordOfContainers(pod, word);
  const ofInit = wordOfInitContainer(pod, stopped);
  return isConditionTrue(status?.conditions, 'Initialized') ? wordOfContainers(pod, ofInit) : ofInit;
}

/** The index of the init container that the pod waits for; `undefined` when it waits for none. */
export function stoppedInitContainer(pod: Pod): number | undefined {
  const statuses = pod.status?.initContainerStatuses;
  if (!statuses?.length) return undefined;
  const index = statuses.findIndex(
    ({ name, state, started }) => state?.terminated?.exitCode !== 0 && !(started && isSidecar(pod, name)),
  );
  return index < 0 ? undefined : index;
}

/** Whether an init container is one that stays beside the others. */
export function isSidecar({ spec }: Pod, name: string): boolean {
  return (
    spec?.initContainers?.some((container) => container.name === name && container.restartPolicy === 'Always') ?? false
  );
}

function isGated({ status }: Pod): boolean {
  return (
    status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated') ?? false
  );
}

function wordOfInitContainer({ spec, status }: Pod, index: number): string {
  const { terminated, waiting } = status?.initContainerStatuses?.[index]?.state ?? {};
  if (terminated) return `Init:${wordOfEnd(terminated)}`;
  if (waiting?.reason && waiting.reason !== 'PodInitializing') return `Init:${waiting.reason}`;
  return `Init:${index}/${spec?.initContainers?.length ?? 0}`;
}

/** The first container with a reason decides; Completed counts only if none runs. */
function wordOfContainers({ status }: Pod, otherwise: string): string {
  const statuses = status?.containerStatuses ?? [];
  let word = otherwise;
  let error = '';
  let running = false;
  for (let index = statuses.length - 1; index >= 0; index--) {
    const { ready, state } = statuses[index] as ContainerStatus;
    if (state?.waiting?.reason) word = state.waiting.reason;
    else if (state?.terminated) {
      word = wordOfEnd(state.terminated);
      if (state.terminated.exitCode !== 0) error = word;
    } else if (ready && state?.running) running = true;
  }
  if (word !== 'Completed') return word;
  if (running && isConditionTrue(status?.conditions, 'Ready')) return 'Running';
  if (error !== '') return error;
  return running ? 'NotReady' : word;
}

function wordOfEnd({ reason, signal, exitCode }: ContainerStateTerminated): string {
  if (reason) return reason;
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}
