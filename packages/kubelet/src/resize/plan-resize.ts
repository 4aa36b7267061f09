import type { Container, Pod } from '@coracle/api';
import type { ContainerStatus, LinuxContainerResources } from '@coracle/cri';
import { containerResources } from '../runtime-config/linux-resources.js';
import type { KubeletSettings } from '../settings.js';

/** A container that runs with other resources than its pod asks for now. */
export interface ContainerToResize {
  readonly container: Container;
  readonly id: string;
  readonly resources: LinuxContainerResources;
  /** Its memory limit until now, in bytes; 0 or absent where it has none. */
  readonly memoryBefore?: number;
}

type Changed = 'cpu' | 'memory';

/** The resources in which a container that runs differs from what is wanted; none where the runtime does not tell. */
export function changedResources({ resources }: ContainerStatus, wanted: LinuxContainerResources): Changed[] {
  const actual = resources?.linux;
  if (!actual || actual.cpuShares === undefined) return [];
  const bounded = (value: number | undefined) => Math.max(0, value ?? 0);
  const isCpu = actual.cpuShares !== wanted.cpuShares || bounded(actual.cpuQuota) !== bounded(wanted.cpuQuota);
  const isMemory = bounded(actual.memoryLimitInBytes) !== bounded(wanted.memoryLimitInBytes);
  return [...(isCpu ? (['cpu'] as const) : []), ...(isMemory ? (['memory'] as const) : [])];
}

/** Whether the container says that it must be restarted when one of these changes. */
export function needsRestart({ resizePolicy = [] }: Container, changed: readonly Changed[]): boolean {
  return resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === 'RestartContainer' && changed.some((name) => name === resourceName),
  );
}

/** What each container of the pod is to be given. */
export function wantedResources(
  { settings, memoryCapacity }: { readonly settings: KubeletSettings; readonly memoryCapacity: number },
  pod: Pod,
): (container: Container) => LinuxContainerResources {
  const input = {
    pod,
    memoryCapacity,
    cpuCfsQuota: settings.cpuCFSQuota,
    cpuCfsQuotaPeriod: settings.cpuCFSQuotaPeriod * 1_000,
  };
  return (container) => containerResources(container, input);
}
