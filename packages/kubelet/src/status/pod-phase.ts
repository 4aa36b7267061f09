import type { ContainerStatus, Pod, PodStatus } from '@coracle/api';
import { isRestarted, isSidecar } from '../restart-policy.js';

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/**
 * The phase of the pod.
 *
 * `terminal`: no container of it will be started any more, because it is being deleted, was evicted or has passed its
 * deadline.
 */
export function podPhase(pod: Pod, status: PodStatus, terminal: boolean): PodPhase {
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  const inits = new Map(status.initContainerStatuses?.map((one) => [one.name, one]));
  const initTally = { waiting: 0, failed: 0, failedForGood: 0 };
  for (const container of initContainers) {
    const init = inits.get(container.name);
    if (isSidecar(container)) {
      if (!init?.started && !hasStartedOnce(init)) initTally.waiting++;
    } else if (init?.state?.terminated) {
      const { exitCode } = init.state.terminated;
      if (exitCode !== 0) initTally.failed++;
      if (exitCode !== 0 && !isRestarted(pod, container, exitCode)) initTally.failedForGood++;
    } else if (init?.state?.running || init?.lastState?.terminated?.exitCode !== 0) initTally.waiting++;
  }
  if (initTally.failedForGood > 0 || (initTally.failed > 0 && terminal)) return 'Failed';
  const tally = tallyOf(status.containerStatuses ?? [], containers.length);
  if (!terminal && (initTally.waiting > 0 || initTally.failed > 0) && tally.running === 0 && tally.ended === 0)
    return 'Pending';
  if (tally.waiting > 0 && !terminal) return 'Pending';
  if (tally.running > 0) return 'Running';
  if (tally.ended === 0) return terminal ? 'Failed' : 'Pending';
  if (terminal) return tally.ended === containers.length && tally.succeeded === tally.ended ? 'Succeeded' : 'Failed';
  return allEnded(pod, status, tally);
}

interface Tally {
  /** Whether no container was started so far. */
  waiting: number;
  running: number;
  ended: number;
  succeeded: number;
}

function tallyOf(statuses: readonly ContainerStatus[], expected: number): Tally {
  const tally: Tally = { waiting: expected - statuses.length, running: 0, ended: 0, succeeded: 0 };
  for (const { state, lastState } of statuses) {
    const ended = state?.terminated ?? (state?.waiting && lastState?.terminated);
    if (state?.running) tally.running++;
    else if (ended) {
      tally.ended++;
      if (ended.exitCode === 0) tally.succeeded++;
    } else tally.waiting++;
  }
  return tally;
}

/** All have ended: the phase depends on whether one of them is restarted. */
function allEnded(pod: Pod, status: PodStatus, tally: Tally): PodPhase {
  const statuses = new Map(status.containerStatuses?.map((one) => [one.name, one]));
  const comesBack = pod.spec?.containers.some((container) => {
    const { state, lastState } = statuses.get(container.name) ?? {};
    const ended = state?.terminated ?? lastState?.terminated;
    return ended && isRestarted(pod, container, ended.exitCode);
  });
  if (comesBack) return 'Running';
  return tally.succeeded === tally.ended ? 'Succeeded' : 'Failed';
}

/** A sidecar that is being restarted has started before: the phase does not change. */
function hasStartedOnce(status: ContainerStatus | undefined): boolean {
  return (status?.restartCount ?? 0) > 0 || status?.state?.terminated !== undefined;
}
