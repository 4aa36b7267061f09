import type { Victims } from '../framework/victims.js';
import { byImportance, startOf } from './select-victims.js';

/** The criteria by which candidate nodes are compared, in order: smaller is better. */
const losses: readonly ((victims: Victims) => number)[] = [
  ({ violations }) => violations,
  ({ pods }) => pods[0]?.priority ?? Number.NEGATIVE_INFINITY,
  // The offset prevents that more victims with negative priorities give a smaller sum.
  ({ pods }) => pods.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
  ({ pods }) => pods.length,
];

/** The node where preemption costs least; among equals, the one whose most important victims have run the shortest. */
export function pickNode(candidates: readonly Victims[]): Victims | undefined {
  let best = candidates;
  for (const lossOf of losses) {
    const least = Math.min(...best.map(lossOf));
    best = best.filter((one) => lossOf(one) === least);
    if (best.length <= 1) return best[0];
  }
  const latest = best.map(earliestStart).sort().at(-1);
  return best.find((one) => earliestStart(one) === latest);
}

/** The earliest start time of the most important victims. */
function earliestStart({ pods }: Victims): string {
  const [first] = [...pods].sort(byImportance);
  return first ? startOf(first) : '';
}
