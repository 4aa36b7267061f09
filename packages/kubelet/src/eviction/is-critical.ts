import type { Pod } from '@coracle/api';
import { isMirrorPod, isStaticPod } from '../static-pods/pod-origin.js';

/** The priority of what the cluster itself needs, and above. */
const systemPriority = 2_000_000_000;

/** Pods that a node never evicts by itself. */
export function isCritical(pod: Pod): boolean {
  return isStaticPod(pod) || isMirrorPod(pod) || (pod.spec?.priority ?? 0) >= systemPriority;
}
