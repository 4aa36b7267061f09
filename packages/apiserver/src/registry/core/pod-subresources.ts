import { type Pod, validateEphemeralContainersUpdate, validatePodResize } from '@coracle/api';
import { deepCopy } from '@coracle/base';
import type { UpdateEndpoint } from '../update-object.js';

/** `pods/x/ephemeralcontainers`: adds containers to look into a running pod, and changes nothing else. */
export const ephemeralContainersEndpoint: UpdateEndpoint<Pod> = {
  countsGeneration: true,
  prepare(pod, previous) {
    const added = pod.spec?.ephemeralContainers;
    keepAllOf(pod, previous);
    if (pod.spec && added) pod.spec.ephemeralContainers = added;
  },
  validate: validateEphemeralContainersUpdate,
};

/** `pods/x/resize`: changes what the containers of a running pod get, and nothing else. */
export const resizeEndpoint: UpdateEndpoint<Pod> = {
  countsGeneration: true,
  prepare(pod, previous) {
    const { containers = [], initContainers = [] } = pod.spec ?? {};
    const sizes = { containers, initContainers };
    keepAllOf(pod, previous);
    for (const list of ['containers', 'initContainers'] as const) {
      for (const container of pod.spec?.[list] ?? []) {
        const wanted = sizes[list].find(({ name }) => name === container.name);
        if (wanted?.resources) container.resources = wanted.resources;
        if (wanted?.resizePolicy) container.resizePolicy = wanted.resizePolicy;
      }
    }
  },
  validate: validatePodResize,
};

function keepAllOf(pod: Pod, previous: Pod): void {
  if (previous.spec) pod.spec = deepCopy(previous.spec);
  if (previous.status) pod.status = previous.status;
}
