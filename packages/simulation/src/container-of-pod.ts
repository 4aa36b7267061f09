import type { Pod } from '@coracle/api';
import { controllerOf } from '@coracle/apimachinery';

/** A pull names no container: the first with that image is meant. */
export function containerWithImage(pod: Pod | undefined, image: string): string {
  const { containers = [], initContainers = [] } = pod?.spec ?? {};
  return [...initContainers, ...containers].find((container) => container.image === image)?.name ?? '';
}

/** Init containers, unless they are sidecars, and the containers of jobs. */
export function isExpectedToEnd(pod: Pod, container: string): boolean {
  const init = pod.spec?.initContainers?.find(({ name }) => name === container);
  if (init) return init.restartPolicy !== 'Always';
  return controllerOf(pod)?.kind === 'Job';
}
