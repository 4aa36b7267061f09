import { type Container, computeQosClass, type Pod, podResources, type ResourceAmounts } from '@coracle/api';
import { bytesOf, milliCpuOf, pageSizeName, quotaOf, sharesOf } from '../runtime-config/linux-resources.js';
import type { KubeletSettings } from '../settings.js';
import type { CgroupLimits } from './cgroup-host.js';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

function qosOf(pod: Pod): QosClass {
  return (pod.status?.qosClass ?? computeQosClass(pod)) as QosClass;
}

/** `/kubepods`, below the configured root. */
export function allPodsCgroup(root: string): string {
  return `${root === '/' ? '' : root}/kubepods`;
}

/** Guaranteed pods are directly below it, beside the QoS classes. */
export function qosCgroup(root: string, qos: QosClass): string {
  return qos === 'Guaranteed' ? allPodsCgroup(root) : `${allPodsCgroup(root)}/${qos.toLowerCase()}`;
}

export function podCgroup(root: string, pod: Pod): string {
  return `${qosCgroup(root, qosOf(pod))}/pod${pod.metadata.uid}`;
}

export type PodCgroupSettings = Pick<KubeletSettings, 'cpuCFSQuota' | 'cpuCFSQuotaPeriod' | 'podPidsLimit'>;

/** Limits of a pod: the sum of its containers. If one of them has no limit, the pod has none. */
export function podCgroupLimits(pod: Pod, settings: PodCgroupSettings): CgroupLimits {
  const spec = pod.spec ?? { containers: [] };
  const requests = podResources(spec, 'requests');
  const limits = podResources(spec, 'limits');
  const qos = qosOf(pod);
  const cpu = milliCpuOf(amountOf(requests, 'cpu'));
  const isBounded = (name: string) =>
    containersOf(pod).every(({ resources }) => resources?.limits?.[name] !== undefined) ||
    pod.spec?.resources?.limits?.[name] !== undefined;
  const period = settings.cpuCFSQuotaPeriod * 1_000;
  const quota = settings.cpuCFSQuota && isBounded('cpu') ? quotaOf(milliCpuOf(amountOf(limits, 'cpu')), period) : 0;
  return {
    cpuShares: qos === 'BestEffort' ? sharesOf(0) : sharesOf(cpu),
    cpuPeriod: period,
    cpuQuota: quota > 0 ? quota : -1,
    memoryLimit: isBounded('memory') ? bytesOf(amountOf(limits, 'memory')) || -1 : -1,
    pidsLimit: settings.podPidsLimit > 0 ? settings.podPidsLimit : -1,
    hugepageLimits: hugepageLimitsOf(limits),
  };
}

function containersOf({ spec }: Pod): readonly Container[] {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
}

function amountOf(amounts: ResourceAmounts, name: string): string | undefined {
  return amounts.get(name)?.toString();
}

function hugepageLimitsOf(limits: ResourceAmounts): Record<string, number> {
  const prefix = 'hugepages-';
  const found = [...limits.keys()].filter((name) => name.startsWith(prefix));
  return Object.fromEntries(
    found.map((name) => [pageSizeName(name.slice(prefix.length)), bytesOf(amountOf(limits, name))]),
  );
}

/** Limits of a QoS class: BestEffort pods get what the others leave. */
export function qosCgroupLimits(qos: QosClass, pods: Iterable<Pod>): CgroupLimits {
  if (qos === 'BestEffort') return { cpuShares: sharesOf(0) };
  let milliCpu = 0;
  for (const pod of pods)
    if (qosOf(pod) === qos)
      milliCpu += milliCpuOf(amountOf(podResources(pod.spec ?? { containers: [] }, 'requests'), 'cpu'));
  return { cpuShares: sharesOf(milliCpu) };
}

/** Limits of all pods of the node. */
export function allPodsLimits(
  capacity: Readonly<Record<string, string>>,
  reserved: readonly Readonly<Record<string, string>>[],
): CgroupLimits {
  const left = (name: string, amount: (text: string | undefined) => number) =>
    amount(capacity[name]) - reserved.reduce((sum, one) => sum + amount(one[name]), 0);
  return { cpuShares: sharesOf(left('cpu', milliCpuOf)), memoryLimit: left('memory', bytesOf) };
}
