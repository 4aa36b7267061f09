import type { NodeInfo } from '../cache/node-info.js';
import { unschedulable } from '../framework/verdict.js';
import type { QueuedPod } from '../queue/queued-pod.js';
import {
  type Attempted,
  extendersFor,
  type Needs,
  type PlaceParts,
  profileOf,
  type Rotation,
  tryToPlace,
  tryToPlaceExtended,
} from '../schedule-one.js';
import type { Placement } from '../scheduling-cycle.js';

export type TrialParts = PlaceParts & Needs<'logger' | 'extenders'>;
type Placed = Extract<Placement, { kind: 'placed' }>;

/** The result for one pod of a group. */
export interface PodTrial {
  readonly queued: QueuedPod;
  readonly outcome: Attempted;
}

export interface TrialOptions {
  readonly rotation: Rotation;
  /** The candidate nodes. */
  readonly nodes: readonly NodeInfo[];
  /** Called for each pod that does not fit, while the previous ones are assumed on their nodes. */
  readonly onUnplaced?: (trial: PodTrial) => Promise<void>;
}

/** The pods of a group, each assumed on its node until the trial is disposed. */
export interface GroupTrial extends Disposable {
  readonly pods: readonly PodTrial[];
  /** Number of pods that fit. */
  readonly placed: number;
  /** The error, if there was one: no further pods were tried then. */
  readonly error?: unknown;
}

/** Finds a node for each of the pods in order, with the previous ones assumed on their nodes. */
export async function tryGroup(
  pods: readonly QueuedPod[],
  parts: TrialParts,
  options: TrialOptions,
): Promise<GroupTrial> {
  const trials: PodTrial[] = [];
  const undo: (() => void)[] = [];
  const end = {
    [Symbol.dispose]() {
      for (const step of undo.splice(0).reverse()) step();
    },
  };
  for (const queued of pods) {
    const search = placeOne(queued, parts, options);
    const found = search instanceof Promise ? await search : search;
    const trial = { queued, outcome: keep(queued, parts, { found, undo }) };
    trials.push(trial);
    if (trial.outcome.kind === 'failed')
      return { pods: trials, placed: undo.length, error: trial.outcome.error, ...end };
    if (trial.outcome.kind === 'unplaced') await options.onUnplaced?.(trial);
  }
  return { pods: trials, placed: undo.length, ...end };
}

function placeOne(
  { info }: QueuedPod,
  parts: TrialParts,
  { rotation, nodes }: TrialOptions,
): Promise<Attempted> | Attempted {
  const extenders = extendersFor(info, parts);
  return extenders.length > 0
    ? tryToPlaceExtended(info, parts, { rotation, extenders, nodes })
    : tryToPlace(info, parts, rotation, nodes);
}

/** Assumes the pod on its node, and reserves what it needs there. */
function keep(
  { info }: QueuedPod,
  parts: TrialParts,
  { found, undo }: { readonly found: Attempted; readonly undo: (() => void)[] },
): Attempted {
  if (found.kind !== 'placed') return found;
  const { reserve } = profileOf(parts, info);
  const { node, state } = found;
  parts.cache.assume(info, node.name);
  const back = () => {
    for (const plugin of [...reserve].reverse()) plugin.unreserve(state, info, node.name);
    parts.cache.forget(info.uid);
  };
  for (const plugin of reserve) {
    const verdict = plugin.reserve(state, info, node.name);
    // Asynchronous plugins decide when the pod is bound.
    if (verdict instanceof Promise) verdict.catch(() => undefined);
    else if (verdict.kind !== 'fits') {
      back();
      return refused(found, plugin.name, verdict.reasons);
    }
  }
  undo.push(back);
  return found;
}

function refused({ node, state, evaluated }: Placed, plugin: string, reasons: readonly string[]): Attempted {
  const failures = new Map([[node.name, unschedulable(...reasons)]]);
  return { kind: 'unplaced', failure: { nodeCount: 1, failures, refusedBy: new Set([plugin]) }, state, evaluated };
}
