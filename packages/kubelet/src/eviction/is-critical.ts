import type { Pod } from '@coracle/api';
import { isMirrorPod, isStaticPod } from '../static-pods/pod-origin.js';

/** The priority of system-critical pods, and above. */
const systemPriority = 2_000_000_000;

/** Whether the node never evicts the pod. */
export function isCritical(pod: Pod): boolean {
  return isStaticPod(pod) || isMirrorPod(pod) || (pod.spec?.priority ?? 0) >= systemPriority;
}
