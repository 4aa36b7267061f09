import type { Pod } from '@coracle/api';
import { parseQuantity } from '@coracle/apimachinery';

/**
 * Requests of each pod for a resource, in thousandths; of one container if it is named. Fails if a request is missing.
 */
export function podRequests(
  pods: readonly Pod[],
  resource: string,
  container: string | undefined,
): ReadonlyMap<string, number> {
  return new Map(pods.map((pod) => [pod.metadata.name ?? '', requestOf(pod, resource, container)]));
}

function requestOf(pod: Pod, resource: string, container: string | undefined): number {
  const { name: podName } = pod.metadata;
  const ofPod = pod.spec?.resources?.requests?.[resource];
  if (container === undefined && ofPod !== undefined) return parseQuantity(ofPod).milliValue();
  const sidecars = (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const all = [...(pod.spec?.containers ?? []), ...sidecars];
  const counted = container === undefined ? all : all.filter(({ name }) => name === container);
  if (counted.length === 0) throw new Error(`container ${container} not found in Pod ${podName}`);
  return counted.reduce((sum, { name, resources }) => {
    const request = resources?.requests?.[resource];
    if (request === undefined)
      throw new Error(`missing request for ${resource} in container ${name} of Pod ${podName}`);
    return sum + parseQuantity(request).milliValue();
  }, 0);
}
