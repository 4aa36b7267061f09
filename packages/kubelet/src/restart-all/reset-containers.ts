import { isCriError } from '@coracle/cri';
import { containerReference } from '../container-reference.js';
import type { Needs } from '../kubelet-parts.js';
import { type ObserveParts, observe, type PodWork, type StatusParts, statusOf } from '../pod-work.js';
import type { ContainerToReset } from './containers-to-reset.js';

export type ResetParts = ObserveParts & StatusParts & Needs<'runtime' | 'recorder' | 'podLogs'>;

/**
 * Kills and removes the containers, so that the pod starts again in its sandbox from its first init container. There is
 * no grace period, and preStop hooks do not run. The status of the pod is reported before, between and after: the
 * containers have ended in it once they are removed.
 */
export async function resetContainers(
  parts: ResetParts,
  work: PodWork,
  containers: readonly ContainerToReset[],
): Promise<void> {
  report(parts, work);
  const running = containers.filter(({ isRunning }) => isRunning);
  await Promise.all(running.map((one) => kill(parts, work, one)));
  if (running.length > 0) await observe(parts, work);
  report(parts, work);
  for (const { id } of containers) await remove(parts, work, id);
  work.waiting.clear();
  await observe(parts, work);
  report(parts, work);
}

async function kill(
  { runtime, recorder }: ResetParts,
  { pod }: PodWork,
  { container, id }: ContainerToReset,
): Promise<void> {
  recorder.event(containerReference(pod, container), 'Normal', 'Killing', `Stopping container ${container.name}`);
  await runtime.stopContainer({ containerId: id, timeout: 0 });
}

async function remove({ runtime, podLogs }: ResetParts, { state }: PodWork, containerId: string): Promise<void> {
  const container = state.containers.find(({ id }) => id === containerId);
  if (container) await podLogs.forgetContainer(container);
  try {
    await runtime.removeContainer({ containerId });
  } catch (error) {
    if (!isCriError(error, 'NotFound')) throw error;
  }
}

function report(parts: ResetParts, work: PodWork): void {
  parts.statuses.set(work.pod, statusOf(parts, work, false));
}
