import type { batchv1 } from '@coracle/api';
import { IndexSet } from './index-set.js';

export interface SuccessFacts {
  readonly completions: number;
  readonly succeeded: IndexSet;
}

/** The message of the successful job, if a rule matches. */
export function matchSuccessPolicy(
  policy: batchv1.SuccessPolicy | undefined,
  { completions, succeeded }: SuccessFacts,
): string | undefined {
  if (succeeded.size === 0) return undefined;
  const index = (policy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && succeeded.size >= succeededCount;
    const indexes = IndexSet.parse(succeededIndexes, completions);
    const met = indexes.countIn(succeeded);
    return met >= (succeededCount ?? indexes.size);
  });
  return index < 0 ? undefined : `Matched rules at index ${index}`;
}
