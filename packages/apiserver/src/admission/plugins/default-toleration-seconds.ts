import type { Pod, Toleration } from '@coracle/api';
import { addFields } from '@coracle/base';
import type { AdmissionPlugin } from '../admission.js';

/** Toleration seconds by taint. */
const usual: Readonly<Record<string, number>> = {
  'node.kubernetes.io/not-ready': 300,
  'node.kubernetes.io/unreachable': 300,
};

/** By default a pod stays five minutes, or for the configured time, on a node that is not ready or unreachable. */
export function defaultTolerationSeconds(seconds: Readonly<Record<string, number>> = {}): AdmissionPlugin {
  const all = Object.entries({ ...usual, ...seconds });
  return {
    name: 'DefaultTolerationSeconds',
    handles: ({ operation, resource, subresource }) =>
      resource.group === '' &&
      resource.resource === 'pods' &&
      subresource === '' &&
      (operation === 'CREATE' || operation === 'UPDATE'),
    mutate({ object }) {
      const pod = object as Pod;
      const { spec } = pod;
      if (!spec) return undefined;
      const tolerations = spec.tolerations ?? [];
      const added: Toleration[] = [];
      for (const [key, tolerationSeconds] of all) {
        if (tolerations.some((toleration) => tolerates(toleration, key))) continue;
        added.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds });
      }
      return added.length > 0
        ? { ...pod, spec: addFields(spec, { tolerations: tolerations.concat(added) }) }
        : undefined;
    },
  };
}

/** No key means all keys, no effect means all effects. */
function tolerates({ key, effect }: Toleration, taint: string): boolean {
  return (!key || key === taint) && (!effect || effect === 'NoExecute');
}
