import { changesFor } from './changes.js';
import type { NodeExplanation, Situation } from './explain-pod.js';
import { refusalsAfter } from './refusals-after.js';
import type { Change, Trial } from './trial.js';

/** A set of changes with which the pod would run on a node. */
export interface Suggestion {
  readonly node: string;
  readonly changes: readonly string[];
}

const mostSuggestions = 5;

/**
 * The smallest sets of changes with which the pod would run, the fewest changes first. Each was simulated: with all
 * changes no plugin rejects the node, and with fewer of them one does.
 */
export function suggestChanges(situation: Situation, explanations: readonly NodeExplanation[]): Suggestion[] {
  const found: Tried[] = [];
  for (const { node: name, refusals } of explanations) {
    const node = situation.nodes.find((one) => one.name === name);
    if (!node || refusals.length === 0) continue;
    const trial: Trial = { pod: situation.pod, node };
    for (const changes of alternatives(refusals.map(({ plugin }) => changesFor(plugin, trial, situation)))) {
      if (refusalsAfter(situation, applyAll(trial, changes)).length > 0) continue;
      found.push({ node: name, changes: changes.map(({ text }) => text), cost: sum(changes) });
    }
  }
  const seen = new Set<string>();
  return found
    .filter((one) => !found.some((other) => isPartOf(other, one)))
    .sort((a, b) => a.cost - b.cost)
    .filter(({ changes }) => !seen.has(changes.join()) && seen.add(changes.join()))
    .slice(0, mostSuggestions)
    .map(({ node, changes }) => ({ node, changes }));
}

type Tried = Suggestion & { readonly cost: number };

/** Whether some of the changes are sufficient. */
function isPartOf(less: Tried, more: Tried): boolean {
  return (
    less.node === more.node &&
    less.changes.length < more.changes.length &&
    less.changes.every((text) => more.changes.includes(text))
  );
}

function sum(changes: readonly Change[]): number {
  return changes.reduce((total, { cost }) => total + cost, 0);
}

/** One change for each plugin that rejects, in every combination; none if no change helps one of the plugins. */
function alternatives(choices: readonly (readonly Change[])[]): Change[][] {
  return choices.reduce<Change[][]>(
    (sets, some) => sets.flatMap((set) => some.map((one) => withChange(set, one))),
    [[]],
  );
}

/** One change may satisfy several plugins. */
function withChange(set: Change[], one: Change): Change[] {
  return set.some(({ text }) => text === one.text) ? set : [...set, one];
}

function applyAll(trial: Trial, changes: readonly Change[]): Trial {
  return changes.reduce((state, change) => change.apply(state), trial);
}
