import { type Pod, podResources } from '@coracle/api';
import { diskUsageOf, type PodUsage } from './pod-usage.js';
import { type Signal, signals } from './thresholds.js';

type Compare = (a: Candidate, b: Candidate) => number;

interface Candidate {
  readonly pod: Pod;
  /** `undefined` if the usage is unknown: such pods are evicted first. */
  readonly used: number | undefined;
  readonly requested: number;
}

/** Sorts pods in the order of eviction: those that exceed their requests first. */
export function rankPods(signal: Signal, pods: readonly Pod[], usage: ReadonlyMap<string, PodUsage>): Pod[] {
  const { resource } = signals[signal];
  const candidates = pods.map((pod): Candidate => {
    const entry = usage.get(pod.metadata.uid ?? '');
    return { pod, used: entry && usedOf(resource, entry), requested: requestOf(resource, pod) };
  });
  const order: readonly Compare[] = resource === 'pids' ? [byPriority, byUse] : [byExcess, byPriority, byOveruse];
  candidates.sort((a, b) => order.map((compare) => compare(a, b)).find((sign) => sign !== 0) ?? 0);
  return candidates.map(({ pod }) => pod);
}

type Resource = (typeof signals)[Signal]['resource'];

function usedOf(resource: Resource, usage: PodUsage): number {
  if (resource === 'memory') return usage.memoryBytes;
  if (resource === 'pids') return usage.processes;
  const { bytes, inodes } = diskUsageOf(usage);
  return resource === 'inodes' ? inodes : bytes;
}

function requestOf(resource: Resource, { spec }: Pod): number {
  return (
    podResources(spec ?? { containers: [] }, 'requests')
      .get(resource)
      ?.value() ?? 0
  );
}

const first = -1;

function byExcess(a: Candidate, b: Candidate): number {
  const exceeds = ({ used, requested }: Candidate) => used === undefined || used > requested;
  return unknownFirst(a, b) || Number(exceeds(b)) - Number(exceeds(a));
}

function byPriority({ pod: a }: Candidate, { pod: b }: Candidate): number {
  return (a.spec?.priority ?? 0) - (b.spec?.priority ?? 0);
}

function byOveruse(a: Candidate, b: Candidate): number {
  const over = ({ used = 0, requested }: Candidate) => used - requested;
  return unknownFirst(a, b) || over(b) - over(a);
}

function byUse(a: Candidate, b: Candidate): number {
  return unknownFirst(a, b) || (b.used ?? 0) - (a.used ?? 0);
}

function unknownFirst(a: Candidate, b: Candidate): number {
  if ((a.used === undefined) === (b.used === undefined)) return 0;
  return a.used === undefined ? first : -first;
}
