import type { Pod } from '@coracle/api';
import { scaledValue } from '@coracle/apimachinery';
import { type DaemonNode, type DaemonView, isAvailableDaemon, isCurrent, isKept } from './daemon-nodes.js';

export interface UpdatePlan {
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
}

/** Maximum number of nodes without a pod, or with two, during an update. Both round up. */
export function updateBounds({ daemonSet, nodes }: DaemonView): {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
} {
  const { type, rollingUpdate } = daemonSet.spec?.updateStrategy ?? {};
  if (type === 'OnDelete') return { maxSurge: 0, maxUnavailable: 0 };
  const desired = nodes.filter(({ fit }) => fit.shouldRun).length;
  const maxSurge = scaledValue(rollingUpdate?.maxSurge ?? 0, desired, 'up') ?? 0;
  const maxUnavailable = scaledValue(rollingUpdate?.maxUnavailable ?? 1, desired, 'up') ?? 1;
  // If both are zero, the rollout could not progress.
  return { maxSurge, maxUnavailable: maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable };
}

interface NodeState {
  readonly node: DaemonNode;
  readonly current: Pod | undefined;
  readonly old: Pod | undefined;
  /** If a node has too many pods of a kind, the count is corrected first. */
  readonly crowded: boolean;
}

function stateOf(node: DaemonNode, view: DaemonView): NodeState {
  const rest = node.pods.filter(isKept);
  const current = rest.filter((pod) => isCurrent(pod, view));
  const old = rest.filter((pod) => !isCurrent(pod, view));
  return { node, current: current[0], old: old[0], crowded: current.length > 1 || old.length > 1 };
}

/** The old pods that are replaced now, or get a new pod beside them. Pure. */
export function planDaemonUpdate(view: DaemonView): UpdatePlan {
  if (view.daemonSet.spec?.updateStrategy?.type === 'OnDelete') return { create: [], delete: [] };
  const { maxSurge, maxUnavailable } = updateBounds(view);
  const states = view.nodes
    .filter(({ fit, pods }) => fit.shouldRun || pods.length > 0)
    .map((node) => stateOf(node, view));
  return maxSurge > 0 ? planSurge(states, view, maxSurge) : planReplacing(states, view, maxUnavailable);
}

/** Unavailable old pods are deleted at once; available ones up to maxUnavailable. */
function planReplacing(states: readonly NodeState[], view: DaemonView, maxUnavailable: number): UpdatePlan {
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const { current, old, crowded } of states) {
    const isUpdating = crowded || Boolean(current) === Boolean(old);
    if (isUpdating) unavailable++;
    else if (current) unavailable += Number(!isAvailableDaemon(current, view));
    else if (old && isAvailableDaemon(old, view)) candidates.push(old);
    else if (old) {
      broken.push(old);
      unavailable++;
    }
  }
  return { create: [], delete: [...broken, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))] };
}

/** New pods are created beside old ones; an old pod is deleted when its replacement is available. */
function planSurge(states: readonly NodeState[], view: DaemonView, maxSurge: number): UpdatePlan {
  const outdated: Pod[] = [];
  const misplaced: Pod[] = [];
  const broken: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  let available = 0;
  for (const { node, current, old, crowded } of states) {
    if (crowded) {
      surging++;
      continue;
    }
    const counted = old ?? current;
    const works = counted !== undefined && isAvailableDaemon(counted, view);
    available += Number(works);
    if (!old) continue;
    if (current && isAvailableDaemon(current, view)) outdated.push(old);
    else if (current) surging++;
    else if (!node.fit.shouldRun) (works ? misplaced : outdated).push(old);
    else (works ? candidates : broken).push(node.name);
  }
  // When the matching nodes change, a pod on the wrong node stays until one on a right node is available.
  const desired = view.nodes.filter(({ fit }) => fit.shouldRun).length;
  return {
    create: [...broken, ...candidates.slice(0, Math.max(0, maxSurge - surging))],
    delete: [...outdated, ...misplaced.slice(0, Math.max(0, available - desired))],
  };
}
