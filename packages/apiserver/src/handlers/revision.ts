import { badRequest, failure, type StatusError } from '@coracle/apimachinery';
import type { Revision } from '@coracle/store';
import type { ResourceStorage } from '../storage/resource-storage.js';

/** A resourceVersion that a client has sent, as the revision it stands for. */
export function parseRevision(resourceVersion: string): Revision {
  if (!/^\d{1,20}$/.test(resourceVersion)) {
    throw badRequest(
      `invalid resource version ${JSON.stringify(resourceVersion)}: strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`,
    );
  }
  return Number(resourceVersion);
}

/** Waits until the cache is at least as fresh as `revision`. */
export async function awaitFreshness(storage: ResourceStorage, revision: Revision): Promise<void> {
  const fresh = storage.isFresh(revision);
  if (fresh === true || (await fresh)) return;
  throw tooLargeVersion(revision, storage.cache.revision);
}

const retryAfterSeconds = 1;

/** The client has seen a revision that has not come here: it should try again, perhaps elsewhere. */
function tooLargeVersion(wanted: Revision, current: Revision): StatusError {
  const message = `Too large resource version: ${wanted}, current: ${current}`;
  return failure('Timeout', `Timeout: ${message}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds,
  });
}
