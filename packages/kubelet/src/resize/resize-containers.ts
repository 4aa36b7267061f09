import type { Pod } from '@coracle/api';
import { messageOf } from '@coracle/base';
import type { RuntimeService } from '@coracle/cri';
import type { PodCgroups } from '../cgroups/pod-cgroups.js';
import { podReference } from '../container-reference.js';
import type { Needs } from '../kubelet-parts.js';
import type { PodWork } from '../pod-work.js';
import type { ContainerToResize } from './plan-resize.js';
import { resizeMessage } from './resize-message.js';

export interface ResizeParts extends Needs<'recorder'> {
  readonly runtime: Pick<RuntimeService, 'containerStats' | 'updateContainerResources'>;
  readonly cgroups: Pick<PodCgroups, 'relax' | 'update'>;
}

/** Resizes running containers. False after a failure, which the pod's condition reports. */
export async function resizeContainers(
  parts: ResizeParts,
  work: PodWork,
  resizes: readonly ContainerToResize[],
): Promise<boolean> {
  if (resizes.length === 0) return true;
  const { pod } = work;
  try {
    for (const resize of resizes) await refuseBelowUsage(parts, resize);
    await resizeAll(parts, pod, resizes);
    return true;
  } catch (error) {
    const message = messageOf(error);
    const isNews = work.resize?.error !== message;
    work.resize = { generation: pod.metadata.generation, ...work.resize, inProgress: true, error: message };
    const text = resizeMessage('Pod resize error', pod, message);
    if (isNews) parts.recorder.event(podReference(pod), 'Warning', 'ResizeError', text);
    return false;
  }
}

/** All containers are resized: sets the pod's limits, and records an event. */
export async function finishResize({ cgroups, recorder }: ResizeParts, work: PodWork): Promise<void> {
  const { pod } = work;
  await cgroups.update(pod);
  work.resize = work.resize?.pending && { generation: work.resize.generation, pending: work.resize.pending };
  recorder.event(podReference(pod), 'Normal', 'ResizeCompleted', resizeMessage('Pod resize completed', pod));
}

/** The pod's limits are removed meanwhile. */
async function resizeAll(
  { runtime, cgroups }: ResizeParts,
  pod: Pod,
  resizes: readonly ContainerToResize[],
): Promise<void> {
  await cgroups.relax(pod);
  for (const { id: containerId, resources } of resizes) {
    // A limit that was removed must be reset explicitly.
    const linux = { ...resources, cpuQuota: resources.cpuQuota ?? -1 };
    await runtime.updateContainerResources({ containerId, linux });
  }
  await cgroups.update(pod);
}

/** The kernel would kill a container that uses more than its new limit. */
async function refuseBelowUsage({ runtime }: ResizeParts, resize: ContainerToResize): Promise<void> {
  const { container, id: containerId, resources, memoryBefore = 0 } = resize;
  const { memoryLimitInBytes: limit = 0 } = resources;
  if (limit === 0 || (memoryBefore > 0 && limit >= memoryBefore)) return;
  const { stats } = await runtime.containerStats({ containerId });
  const usage = stats?.memory?.usageBytes?.value ?? 0;
  if (usage <= limit) return;
  const name = JSON.stringify(container.name);
  throw new Error(`attempting to set container ${name} memory limits (${limit}) below current usage (${usage})`);
}
