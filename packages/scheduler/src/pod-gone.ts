import { isNotFound, StatusError } from '@coracle/apimachinery';
import type { PodInfo } from './cache/pod-info.js';

/**
 * Whether binding failed because the pod no longer exists. If a volume or a claim was deleted, the pod has to be
 * retried instead.
 */
export function isPodGone(error: unknown, { pod }: Pick<PodInfo, 'pod'>): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!isNotFound(cause) || !StatusError.is(cause)) return false;
  const { kind, name } = cause.status.details ?? {};
  return kind === 'pods' && name === pod.metadata.name;
}
