import { isTerminalPod, type Pod } from '@coracle/api';
import { isReady } from '../pod-state.js';
import { type DaemonNode, type DaemonView, isAvailableDaemon, isCurrent, isKept } from './daemon-nodes.js';
import { updateBounds } from './plan-daemon-update.js';

export interface EndedPod {
  readonly pod: Pod;
  readonly node: string;
}

/** The changes to make. Failed pods are listed separately, because they are replaced with backoff. */
export interface DaemonPlan {
  /** Names of nodes without a pod. */
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
  readonly failed: readonly EndedPod[];
  readonly succeeded: readonly EndedPod[];
}

/** One pod on each matching node, and none elsewhere. Pure. */
export function planDaemonSet(view: DaemonView): DaemonPlan {
  const plans = view.nodes.map((node) => planNode(node, view));
  return {
    create: plans.flatMap(({ create }) => create),
    delete: [...plans.flatMap((plan) => plan.delete), ...view.stranded],
    failed: plans.flatMap(({ failed }) => failed),
    succeeded: plans.flatMap(({ succeeded }) => succeeded),
  };
}

const nothing: DaemonPlan = { create: [], delete: [], failed: [], succeeded: [] };

function planNode(node: DaemonNode, view: DaemonView): DaemonPlan {
  const { name, fit, pods } = node;
  if (fit.shouldRun && pods.length === 0) return { ...nothing, create: [name] };
  const rest = pods.filter(isKept);
  if (!fit.mayStay) return { ...nothing, delete: rest };
  const ended = (phase: string) =>
    rest.filter(({ status }) => status?.phase === phase).map((pod) => ({ pod, node: name }));
  const running = rest.filter((pod) => !isTerminalPod(pod));
  const plan = { ...nothing, failed: ended('Failed'), succeeded: ended('Succeeded') };
  return { ...plan, delete: updateBounds(view).maxSurge > 0 ? surplusWhileSurging(running, view) : running.slice(1) };
}

/** During a surge update, an old and a new pod may share a node until the new one is available. */
function surplusWhileSurging(running: readonly Pod[], view: DaemonView): readonly Pod[] {
  const current = running.filter((pod) => isCurrent(pod, view));
  const old = running.filter((pod) => !isCurrent(pod, view));
  const surplus = [...current.slice(1), ...old.slice(1)];
  const [successor, outdated] = [current[0], old[0]];
  const isReplaced = successor && outdated && (!isReady(outdated) || isAvailableDaemon(successor, view));
  return isReplaced ? [...surplus, outdated] : surplus;
}
