import type { Node, Taint } from '@coracle/api';
import { formatTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

const notReady = 'node.kubernetes.io/not-ready';
const unreachable = 'node.kubernetes.io/unreachable';
const unschedulable = 'node.kubernetes.io/unschedulable';

/** Condition → status → key of the taint. */
const taintByCondition: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: notReady, Unknown: unreachable },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
};

const ownKeys: ReadonlySet<string> = new Set([
  ...Object.values(taintByCondition).flatMap((byStatus) => Object.values(byStatus)),
  unschedulable,
]);

/**
 * The taints that the node should have to keep new pods away, new ones in the order of its conditions; `undefined` if
 * it has them. Taints of other components stay.
 */
export function planSchedulingTaints(node: Node, now: Millis): Taint[] | undefined {
  const conditions = node.status?.conditions ?? [];
  const effects = new Set(conditions.flatMap(({ type, status }) => taintByCondition[type]?.[status] ?? []));
  if (node.spec?.unschedulable) effects.add(unschedulable);
  const isOwn = ({ key, effect }: Taint) => effect === 'NoSchedule' && ownKeys.has(key);
  const taints = node.spec?.taints ?? [];
  const rest = taints.filter((taint) => !isOwn(taint) || effects.delete(taint.key));
  if (effects.size === 0 && rest.length === taints.length) return undefined;
  return [...rest, ...[...effects].map((key) => ({ key, effect: 'NoSchedule', timeAdded: formatTime(now) }))];
}

/** The NoExecute taint of a node in this state, and the one to remove. */
export function planEvictionTaints(node: Node, ready: string, now: Millis): Taint[] | undefined {
  const taintKey = ready === 'False' ? notReady : ready === 'Unknown' ? unreachable : undefined;
  const taints = node.spec?.taints ?? [];
  const isOwn = ({ key, effect }: Taint) => effect === 'NoExecute' && (key === notReady || key === unreachable);
  const remaining = taints.filter((taint) => !isOwn(taint) || taint.key === taintKey);
  const isThere = remaining.some((taint) => isOwn(taint));
  if (remaining.length === taints.length && (isThere || taintKey === undefined)) return undefined;
  if (taintKey === undefined || isThere) return remaining;
  return [...remaining, { key: taintKey, effect: 'NoExecute', timeAdded: formatTime(now) }];
}

export function hasEvictionTaint({ spec }: Node): boolean {
  return (spec?.taints ?? []).some(
    ({ key, effect }) => effect === 'NoExecute' && (key === notReady || key === unreachable),
  );
}

/** Deprecated labels, copied from the current ones. */
const oldLabels = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
] as const;

/** The labels to set, or `undefined` if all are there. */
export function planLabels({ metadata }: Node): Record<string, string> | undefined {
  const { labels = {} } = metadata;
  const missing = oldLabels.flatMap(([from, to]) => {
    const value = labels[from];
    return value === undefined || labels[to] === value ? [] : [[to, value] as const];
  });
  return missing.length > 0 ? Object.fromEntries(missing) : undefined;
}
