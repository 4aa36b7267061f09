import type { Victims } from '../framework/victims.js';
import { byImportance, startOf } from './select-victims.js';

/** What makes one node's victims a smaller loss than another's, in the order in which it counts: smaller is better. */
const losses: readonly ((victims: Victims) => number)[] = [
  ({ violations }) => violations,
  ({ pods }) => pods[0]?.priority ?? Number.NEGATIVE_INFINITY,
  // The offset keeps negative priorities from making more victims look like fewer.
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

/** When the first of the most important victims started. */
function earliestStart({ pods }: Victims): string {
  const [first] = [...pods].sort(byImportance);
  return first ? startOf(first) : '';
}
