import type { Container, ContainerStatus } from '@coracle/api';
import { Quantity } from '@coracle/apimachinery';
import { ContainerState, type LinuxContainerResources, type ContainerStatus as RuntimeStatus } from '@coracle/cri';
import { bytesOf, milliCpuOf, quotaOf, sharesOf } from '../runtime-config/linux-resources.js';

type Amounts = Readonly<Record<string, string>>;

/**
 * Allocated and actual resources of a container, which differ only during a resize. Amounts that the kernel cannot
 * distinguish are written as in the spec.
 */
export function resourcesOf(
  { resources = {} }: Container,
  { state, resources: actual }: RuntimeStatus,
): Pick<ContainerStatus, 'resources' | 'allocatedResources'> {
  const { requests, limits } = resources;
  const linux = state === ContainerState.CONTAINER_RUNNING ? actual?.linux : undefined;
  return {
    ...(requests && { allocatedResources: requests }),
    resources: {
      ...resources,
      ...(limits && { limits: { ...limits, ...(linux && actualLimits(limits, linux)) } }),
      ...(requests && { requests: { ...requests, ...(linux && actualRequests(requests, linux)) } }),
    },
  };
}

function actualLimits({ cpu, memory }: Amounts, linux: LinuxContainerResources): Record<string, string> {
  const { cpuQuota: quota = 0, cpuPeriod: period = 0, memoryLimitInBytes: bytes = 0 } = linux;
  const isOtherCpu = cpu !== undefined && quota > 0 && period > 0 && quotaOf(milliCpuOf(cpu), period) !== quota;
  const isOtherMemory = memory !== undefined && bytes > 0 && bytesOf(memory) !== bytes;
  return {
    ...(isOtherCpu && { cpu: milliText(Math.ceil((quota * 1000) / period)) }),
    ...(isOtherMemory && { memory: Quantity.of(bytes, 'BinarySI').toString() }),
  };
}

function actualRequests({ cpu }: Amounts, { cpuShares: shares = 0 }: LinuxContainerResources): Record<string, string> {
  if (cpu === undefined || shares === 0 || sharesOf(milliCpuOf(cpu)) === shares) return {};
  return { cpu: milliText(Math.ceil((shares * 1000) / 1024)) };
}

function milliText(milli: number): string {
  return milli % 1000 === 0 ? String(milli / 1000) : `${milli}m`;
}
