import { badRequest, failure, type StatusError, unexplainedFailure } from '@coracle/apimachinery';
import type { Revision } from '@coracle/store';
import type { ResourceStorage } from '../watching/resource-storage.js';

/** The resourceVersion of a client as a revision. An invalid one is a bad request only in a list, as in upstream. */
export function parseRevision(resourceVersion: string, verb: 'list' | 'other' = 'other'): Revision {
  const problem = revisionProblem(resourceVersion);
  if (problem === undefined) return Number(resourceVersion);
  const text = JSON.stringify(resourceVersion);
  const why = `resourceVersion: Invalid value: ${text}: strconv.ParseUint: parsing ${text}: ${problem}`;
  throw verb === 'list' ? badRequest(`invalid resource version: ${why}`) : unexplainedFailure(why);
}

function revisionProblem(text: string): string | undefined {
  if (!/^\d+$/.test(text)) return 'invalid syntax';
  return text.length < 20 || BigInt.asUintN(64, BigInt(text)) === BigInt(text) ? undefined : 'value out of range';
}

/** Waits until the cache is at least as fresh as `revision`. */
export async function awaitFreshness(storage: ResourceStorage, revision: Revision): Promise<void> {
  const fresh = storage.isFresh(revision);
  if (fresh === true || (await fresh)) return;
  throw tooLargeVersion(revision, storage.cache.revision);
}

const retryAfterSeconds = 1;

/** The client has seen a revision that this server has not received yet: the client should retry. */
function tooLargeVersion(requested: Revision, current: Revision): StatusError {
  const message = `Too large resource version: ${requested}, current: ${current}`;
  return failure('Timeout', `Timeout: ${message}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds,
  });
}
