import type { Pod } from '@coracle/api';
import type { Logger } from '@coracle/base';
import type { Victims } from '../framework/victims.js';
import type { Extender, PodsOn } from './extender.js';

export interface ExtendedPreemption {
  readonly extenders: readonly Extender[];
  readonly podsOn: PodsOn;
  readonly logger: Logger;
}

/** The preemption candidates that extenders accept: each receives those that the previous one accepted. */
export async function narrowCandidates(
  pod: Pod,
  candidates: readonly Victims[],
  { extenders, podsOn, logger }: ExtendedPreemption,
): Promise<readonly Victims[]> {
  let left = candidates;
  for (const extender of extenders) {
    if (left.length === 0) break;
    if (!extender.preempt || !extender.isInterested(pod)) continue;
    try {
      left = withVictims(await extender.preempt(pod, left, podsOn), extender);
    } catch (error) {
      if (!extender.isIgnorable) throw error;
      logger.info('an extender that may be ignored did not answer', { extender: extender.name, error });
    }
  }
  return left;
}

/** A candidate without victims is invalid: the node is left out, or the extender has failed. */
function withVictims(candidates: readonly Victims[], { isIgnorable }: Extender): readonly Victims[] {
  const empty = candidates.find(({ pods }) => pods.length === 0);
  if (empty && !isIgnorable) throw new Error(`expected at least one victim pod on node ${JSON.stringify(empty.node)}`);
  return candidates.filter(({ pods }) => pods.length > 0);
}
