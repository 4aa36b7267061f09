import type { Container, Pod } from '@coracle/api';
import { controllerOf } from '@coracle/apimachinery';

/** A pull does not name the container: the first with that image counts. */
export function containerWithImage(pod: Pod | undefined, image: string): string {
  const { containers = [], initContainers = [] } = pod?.spec ?? {};
  return [...initContainers, ...containers].find((container) => container.image === image)?.name ?? '';
}

/** Init containers, unless they are sidecars, and the containers of jobs, unless they only pause. */
export function isExpectedToEnd(pod: Pod, container: string): boolean {
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const init = initContainers.find(({ name }) => name === container);
  if (init) return init.restartPolicy !== 'Always';
  return controllerOf(pod)?.kind === 'Job' && !pauses(containers.find(({ name }) => name === container));
}

/** The program `pause` ends only when it is stopped. */
function pauses(container: Container | undefined): boolean {
  const { image = '', command = [], args = [] } = container ?? {};
  const [program] = [...command, ...args];
  return program === undefined ? /(^|\/)pause([:@]|$)/.test(image) : /^(.*\/)?pause$/.test(program);
}
