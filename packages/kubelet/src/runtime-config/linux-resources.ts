import { type Container, computeQosClass, type Pod } from '@coracle/api';
import { parseQuantity } from '@coracle/apimachinery';
import type { HugepageLimit, LinuxContainerResources } from '@coracle/cri';
import { isSidecar } from '../restart-policy.js';
import type { Pinning } from '../topology/pod-pinning.js';

export interface ResourceInput {
  readonly pod: Pod;
  /** Memory of the node, in bytes. */
  readonly memoryCapacity: number;
  /** Whether CPU limits are enforced. */
  readonly cpuCfsQuota: boolean;
  /** In microseconds. */
  readonly cpuCfsQuotaPeriod: number;
  /** Its CPU set; any CPU if absent. */
  readonly pinning?: Pinning;
  /** Additional limits of this node: with cgroups v2 all processes of a container are killed together. */
  readonly unified?: Readonly<Record<string, string>>;
}

const minShares = 2;
const maxShares = 262_144;
const sharesPerCpu = 1024;
const minQuota = 1000;

/** CPU shares of a request in millicores. */
export function sharesOf(milliCpu: number): number {
  if (milliCpu === 0) return minShares;
  return Math.min(maxShares, Math.max(minShares, Math.floor((milliCpu * sharesPerCpu) / 1000)));
}

/** CPU quota: microseconds per period; 0 for no limit. */
export function quotaOf(milliCpu: number, periodMicros: number): number {
  return milliCpu === 0 ? 0 : Math.max(minQuota, Math.floor((milliCpu * periodMicros) / 1000));
}

export function milliCpuOf(text: string | undefined): number {
  return text === undefined ? 0 : Number((parseQuantity(text).nanos + 999_999n) / 1_000_000n);
}

export function bytesOf(text: string | undefined): number {
  return text === undefined ? 0 : parseQuantity(text).value();
}

/** Resource limits of a container. */
export function containerResources(container: Container, input: ResourceInput): LinuxContainerResources {
  const { requests = {}, limits = {} } = container.resources ?? {};
  const cpuLimit = milliCpuOf(limits['cpu']);
  // A limit without a request is the request too.
  const cpuRequest = requests['cpu'] === undefined && cpuLimit > 0 ? cpuLimit : milliCpuOf(requests['cpu']);
  const memory = bytesOf(limits['memory']);
  const hugepageLimits = hugepagesOf(limits);
  return {
    cpuShares: sharesOf(cpuRequest),
    ...(input.cpuCfsQuota &&
      cpuLimit > 0 && {
        cpuPeriod: input.cpuCfsQuotaPeriod,
        cpuQuota: quotaOf(cpuLimit, input.cpuCfsQuotaPeriod),
      }),
    ...(memory > 0 && { memoryLimitInBytes: memory, memorySwapLimitInBytes: memory }),
    oomScoreAdj: oomScoreAdjust(container, input),
    ...(hugepageLimits.length > 0 && { hugepageLimits }),
    ...input.pinning,
    ...(input.unified && { unified: { ...input.unified } }),
  };
}

/** In the format of the kernel: `2MB`. */
function hugepagesOf(limits: Readonly<Record<string, string>>): HugepageLimit[] {
  const prefix = 'hugepages-';
  return Object.entries(limits).flatMap(([name, limit]) => {
    if (!name.startsWith(prefix)) return [];
    return [{ pageSize: pageSizeName(name.slice(prefix.length)), limit: bytesOf(limit) }];
  });
}

export function pageSizeName(size: string): string {
  const bytes = bytesOf(size);
  if (bytes >= 2 ** 30) return `${bytes / 2 ** 30}GB`;
  return bytes >= 2 ** 20 ? `${bytes / 2 ** 20}MB` : `${bytes / 2 ** 10}KB`;
}

const guaranteedScore = -997;
const bestEffortScore = 1000;
const nodeCritical = 2_000_001_000;

/**
 * The OOM score adjustment. The higher, the sooner the kernel kills it: processes that use more than their requests
 * come first.
 */
export function oomScoreAdjust(container: Container, { pod, memoryCapacity }: ResourceInput): number {
  if ((pod.spec?.priority ?? 0) >= nodeCritical) return guaranteedScore;
  const qos = pod.status?.qosClass ?? computeQosClass(pod);
  if (qos === 'Guaranteed') return guaranteedScore;
  if (qos === 'BestEffort') return bestEffortScore;
  const request = bytesOf(container.resources?.requests?.['memory']);
  const score = bestEffortScore - Math.floor((1000 * request) / memoryCapacity);
  const bounded = Math.min(bestEffortScore - 1, Math.max(1000 + guaranteedScore, score));
  return isSidecar(container) ? Math.min(bounded, lowestOfRegular(pod, memoryCapacity)) : bounded;
}

/** A sidecar is not killed before the containers that need it. */
function lowestOfRegular({ spec }: Pod, memoryCapacity: number): number {
  const requests = (spec?.containers ?? []).map(({ resources }) => bytesOf(resources?.requests?.['memory']));
  const most = Math.max(0, ...requests);
  const score = bestEffortScore - Math.floor((1000 * most) / memoryCapacity);
  return Math.min(bestEffortScore - 1, Math.max(1000 + guaranteedScore, score));
}
