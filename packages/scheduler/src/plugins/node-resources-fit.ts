import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { Resource } from '../cache/resource.js';
import { type FilterPlugin, maxScore, type ScorePlugin } from '../framework/plugin.js';
import { fits, type Verdict } from '../framework/verdict.js';

/** Keeps pods off nodes without room for them, and prefers the emptier ones. */
export const nodeResourcesFit: FilterPlugin & ScorePlugin = {
  name: 'NodeResourcesFit',
  wakesOn: [{ event: 'node-added' }, { event: 'node-updated' }, { event: 'pod-deleted' }, { event: 'pod-updated' }],

  filter(_state, pod, node) {
    const lacks = shortages(pod, node);
    if (lacks.length === 0) return fits;
    // What would not fit on the empty node either, no eviction helps.
    const kind: Verdict['kind'] = lacks.some(({ beyondNode }) => beyondNode) ? 'unresolvable' : 'unschedulable';
    return { kind, reasons: lacks.map(({ reason }) => reason) };
  },

  score(_state, pod, { allocatable, presumed }) {
    const cpu = freeShare(allocatable.milliCpu, presumed.milliCpu + pod.presumed.milliCpu);
    const memory = freeShare(allocatable.memory, presumed.memory + pod.presumed.memory);
    // A resource that the node has none of does not count.
    if (allocatable.milliCpu === 0) return memory;
    return allocatable.memory === 0 ? cpu : Math.trunc((cpu + memory) / 2);
  },
};

interface Shortage {
  readonly reason: string;
  readonly beyondNode: boolean;
}

const none: readonly Shortage[] = [];

function shortages({ requests }: PodInfo, node: NodeInfo): readonly Shortage[] {
  const { allocatable, requested } = node;
  const fitsIn = (wanted: number, used: number, total: number) => wanted <= 0 || wanted <= total - used;
  const isEnough =
    node.pods.size < node.allowedPods &&
    requests.scalar.size === 0 &&
    fitsIn(requests.milliCpu, requested.milliCpu, allocatable.milliCpu) &&
    fitsIn(requests.memory, requested.memory, allocatable.memory) &&
    fitsIn(requests.ephemeralStorage, requested.ephemeralStorage, allocatable.ephemeralStorage);
  return isEnough ? none : findShortages(requests, node);
}

function findShortages(requests: Resource, { allocatable, requested, pods, allowedPods }: NodeInfo): Shortage[] {
  const found: Shortage[] = [];
  if (pods.size + 1 > allowedPods) found.push({ reason: 'Too many pods', beyondNode: false });
  const check = (name: string, wanted: number, { used, total }: { used: number; total: number }) => {
    if (wanted > 0 && wanted > total - used) found.push({ reason: `Insufficient ${name}`, beyondNode: wanted > total });
  };
  check('cpu', requests.milliCpu, { used: requested.milliCpu, total: allocatable.milliCpu });
  check('memory', requests.memory, { used: requested.memory, total: allocatable.memory });
  check('ephemeral-storage', requests.ephemeralStorage, {
    used: requested.ephemeralStorage,
    total: allocatable.ephemeralStorage,
  });
  for (const [name, wanted] of requests.scalar) {
    check(name, wanted, { used: requested.scalar.get(name) ?? 0, total: allocatable.scalar.get(name) ?? 0 });
  }
  return found;
}

/** What would be left, out of 100. */
function freeShare(total: number, used: number): number {
  if (total === 0) return 0;
  return used > total ? 0 : Math.trunc(((total - used) * maxScore) / total);
}
