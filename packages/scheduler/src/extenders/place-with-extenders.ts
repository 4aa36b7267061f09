import type { Pod } from '@coracle/api';
import type { Logger } from '@coracle/base';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import { extenderName } from '../framework/profile.js';
import { unschedulable, unschedulableAndUnresolvable } from '../framework/verdict.js';
import {
  type CycleInput,
  type Filtered,
  filterNodes,
  fittingNominated,
  type OpenCycle,
  openCycle,
  type Placement,
  placed,
  placedAsNominated,
  scoreIfNeeded,
  type Unplaced,
  unplaced,
} from '../scheduling-cycle.js';
import type { Extender } from './extender.js';

export interface ExtendedCycleInput extends CycleInput {
  /** The extenders that are interested in the pod, in the order in which they are called. */
  readonly extenders: readonly Extender[];
  readonly logger: Logger;
}

/**
 * The same as `placePod`, with extenders called after the plugins. The cluster may change while they respond: the
 * results of the plugins stay valid for this attempt, as with the snapshots of kube-scheduler.
 */
export async function placePodWithExtenders(pod: PodInfo, input: ExtendedCycleInput): Promise<Placement> {
  const cycle = openCycle(pod, input);
  if (cycle.kind === 'unplaced') return cycle;
  const nominatedHere = fittingNominated(cycle);
  if (nominatedHere && (await acceptNominated(pod.pod, nominatedHere, input)))
    return placedAsNominated(cycle, nominatedHere);
  const fitting = filterNodes(cycle);
  const found = await passExtenders(pod.pod, fitting, input);
  if (found.feasible.length === 0) return refusedByExtenders(cycle, fitting, found);
  const totals = scoreIfNeeded(cycle, found);
  return placed(cycle, found, totals.length === 0 ? totals : await addScores(pod.pod, { found, totals, input }));
}

/** If the call for the nominated node fails, the extender is called for all nodes. */
async function acceptNominated(pod: Pod, node: NodeInfo, input: ExtendedCycleInput): Promise<boolean> {
  try {
    const alone = { feasible: [node], failures: new Map(), evaluated: 1 };
    return (await passExtenders(pod, alone, input)).feasible.length > 0;
  } catch (error) {
    input.logger.error('the nominated node of a pod could not be checked', { node: node.name, error });
    return false;
  }
}

/** Each filters the nodes that the previous ones accepted. */
async function passExtenders(
  pod: Pod,
  { feasible, failures, evaluated }: Filtered,
  { extenders, logger }: ExtendedCycleInput,
): Promise<Filtered> {
  let left = feasible;
  const all = new Map(failures);
  for (const { filter, name, isIgnorable } of extenders) {
    if (left.length === 0) break;
    if (!filter) continue;
    try {
      const verdict = await filter(pod, left);
      for (const [node, reason] of Object.entries(verdict.failed))
        all.set(node, { plugin: extenderName, verdict: unschedulable(reason) });
      for (const [node, reason] of Object.entries(verdict.unresolvable))
        all.set(node, { plugin: extenderName, verdict: unschedulableAndUnresolvable(reason) });
      left = verdict.feasible;
    } catch (error) {
      if (!isIgnorable) throw error;
      logger.info('an extender that may be ignored did not answer', { extender: name, error });
    }
  }
  return { feasible: left, failures: all, evaluated };
}

/** Any event may change the result of an extender, so every event requeues the pod. */
function refusedByExtenders(cycle: OpenCycle, fitting: Filtered, found: Filtered): Unplaced {
  const result = unplaced(cycle, found);
  if (fitting.feasible.length === 0) return result;
  const refusedBy = new Set([...result.failure.refusedBy, extenderName]);
  return { ...result, failure: { ...result.failure, refusedBy } };
}

interface Scoring {
  readonly found: Filtered;
  readonly totals: readonly number[];
  readonly input: ExtendedCycleInput;
}

/** All are called at once; failed calls add nothing. */
async function addScores(pod: Pod, { found, totals, input }: Scoring): Promise<readonly number[]> {
  const { extenders, logger } = input;
  const added = await Promise.all(
    extenders.map(async ({ prioritize, name }) => {
      try {
        return await prioritize?.(pod, found.feasible);
      } catch (error) {
        logger.debug('an extender returned no scores', { extender: name, error });
        return undefined;
      }
    }),
  );
  return totals.map((total, index) => {
    const name = found.feasible[index]?.name ?? '';
    return added.reduce((sum, scores) => sum + (scores?.get(name) ?? 0), total);
  });
}
