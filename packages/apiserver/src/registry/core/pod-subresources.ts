import { type Container, type Pod, validateEphemeralContainersUpdate, validatePodResize } from '@coracle/api';
import { deepCopy } from '@coracle/base';
import { keepMetadata } from '../keep-metadata.js';
import type { UpdateEndpoint } from '../update-object.js';

/** `pods/x/ephemeralcontainers`: adds ephemeral containers to a pod, and changes nothing else. */
export const ephemeralContainersEndpoint: UpdateEndpoint<Pod> = {
  countsGeneration: true,
  prepare(pod, previous) {
    const added = pod.spec?.ephemeralContainers;
    keepAllOf(pod, previous);
    if (pod.spec && added) pod.spec.ephemeralContainers = added;
  },
  validate: validateEphemeralContainersUpdate,
};

/** `pods/x/resize`: changes the resources of the containers of a pod, and nothing else. */
export const resizeEndpoint: UpdateEndpoint<Pod> = {
  countsGeneration: true,
  prepare(pod, previous) {
    const { containers = [], initContainers = [], resources } = pod.spec ?? {};
    const sizes = { containers, initContainers };
    // Other changes in the request are ignored, unless the containers no longer match.
    if (!containerLists.every((list) => sameNames(sizes[list], previous.spec?.[list] ?? []))) return;
    keepAllOf(pod, previous);
    if (!pod.spec) return;
    takeOrDrop(pod.spec, 'resources', resources);
    for (const list of containerLists) {
      for (const [index, container] of (pod.spec[list] ?? []).entries()) {
        takeOrDrop(container, 'resources', sizes[list][index]?.resources);
        takeOrDrop(container, 'resizePolicy', sizes[list][index]?.resizePolicy);
      }
    }
  },
  validate: validatePodResize,
};

const containerLists = ['containers', 'initContainers'] as const;

function sameNames(containers: readonly Container[], others: readonly Container[]): boolean {
  return containers.length === others.length && containers.every(({ name }, index) => name === others[index]?.name);
}

function takeOrDrop<T, K extends keyof T>(target: T, field: K, value: T[K] | undefined): void {
  if (value === undefined) delete target[field];
  else target[field] = value;
}

function keepAllOf(pod: Pod, previous: Pod): void {
  if (previous.spec) pod.spec = deepCopy(previous.spec);
  if (previous.status) pod.status = previous.status;
  keepMetadata(pod, previous);
}
