import { isNotFound, StatusError } from '@coracle/apimachinery';
import type { PodInfo } from './cache/pod-info.js';

/**
 * Whether binding failed because the pod is no more. A volume or a claim that was deleted meanwhile is another matter:
 * its pod has to be tried again.
 */
export function isPodGone(error: unknown, { pod }: Pick<PodInfo, 'pod'>): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!isNotFound(cause) || !StatusError.is(cause)) return false;
  const { kind, name } = cause.status.details ?? {};
  return kind === 'pods' && name === pod.metadata.name;
}
