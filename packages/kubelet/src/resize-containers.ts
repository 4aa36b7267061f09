import type { Pod } from '@coracle/api';
import type { Needs } from './kubelet-parts.js';
import type { ContainerToResize } from './plan-resize.js';

/** Gives containers that run their new resources. The pod's own limits are out of the way meanwhile. */
export async function resizeContainers(
  { runtime, cgroups }: Needs<'runtime' | 'cgroups'>,
  pod: Pod,
  resizes: readonly ContainerToResize[],
): Promise<void> {
  await cgroups.relax(pod);
  for (const { id: containerId, resources } of resizes) {
    // What was limited and is not any more must be told so.
    const linux = { ...resources, cpuQuota: resources.cpuQuota ?? -1 };
    await runtime.updateContainerResources({ containerId, linux });
  }
  await cgroups.update(pod);
}
