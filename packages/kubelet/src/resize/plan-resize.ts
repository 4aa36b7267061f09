import type { Container, Pod } from '@coracle/api';
import type { ContainerStatus, LinuxContainerResources } from '@coracle/cri';
import { containerResources } from '../runtime-config/linux-resources.js';
import type { KubeletSettings } from '../settings.js';
import type { PodPinning } from '../topology/pod-pinning.js';

/** A running container whose resources differ from those of its pod. */
export interface ContainerToResize {
  readonly container: Container;
  readonly id: string;
  readonly resources: LinuxContainerResources;
  /** Its previous memory limit, in bytes; 0 or absent if it had none. */
  readonly memoryBefore?: number;
}

/** The CPU set of a container is not a resource of the API: changes of it never restart the container. */
type Changed = 'cpu' | 'memory' | 'pinning';

/**
 * The resources in which a running container differs from the desired ones; none where the runtime does not report
 * them.
 */
export function changedResources({ resources }: ContainerStatus, desired: LinuxContainerResources): Changed[] {
  const actual = resources?.linux;
  if (!actual || actual.cpuShares === undefined) return [];
  const bounded = (value: number | undefined) => Math.max(0, value ?? 0);
  const isCpu = actual.cpuShares !== desired.cpuShares || bounded(actual.cpuQuota) !== bounded(desired.cpuQuota);
  const isMemory = bounded(actual.memoryLimitInBytes) !== bounded(desired.memoryLimitInBytes);
  const isPinning = isOther(actual.cpusetCpus, desired.cpusetCpus) || isOther(actual.cpusetMems, desired.cpusetMems);
  const changed: readonly (readonly [Changed, boolean])[] = [
    ['cpu', isCpu],
    ['memory', isMemory],
    ['pinning', isPinning],
  ];
  return changed.filter(([, isSo]) => isSo).map(([name]) => name);
}

/** Without desired resources the container is not changed. */
function isOther(actual: string | undefined, desired: string | undefined): boolean {
  return desired !== undefined && desired !== '' && desired !== (actual ?? '');
}

/** Whether the container's resizePolicy requires a restart for one of these changes. */
export function needsRestart({ resizePolicy = [] }: Container, changed: readonly Changed[]): boolean {
  return resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === 'RestartContainer' && changed.some((name) => name === resourceName),
  );
}

interface WantedParts {
  readonly settings: KubeletSettings;
  readonly memoryCapacity: number;
  readonly pinning?: PodPinning;
}

/** The desired resources of each container of the pod. */
export function wantedResources(
  { settings, memoryCapacity, pinning }: WantedParts,
  pod: Pod,
): (container: Container) => LinuxContainerResources {
  const input = {
    pod,
    memoryCapacity,
    cpuCfsQuota: settings.cpuCFSQuota,
    cpuCfsQuotaPeriod: settings.cpuCFSQuotaPeriod * 1_000,
  };
  return (container) =>
    containerResources(container, { ...input, ...(pinning && { pinning: pinning.of(pod, container) }) });
}
