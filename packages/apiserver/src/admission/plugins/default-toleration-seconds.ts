import type { Pod, Toleration } from '@coracle/api';
import type { AdmissionPlugin } from '../admission.js';

const keys = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const seconds = 300;

/** A pod that says nothing else stays five minutes on a node that is not ready or cannot be reached. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  handles: ({ operation, resource, subresource }) =>
    resource.group === '' &&
    resource.resource === 'pods' &&
    subresource === '' &&
    (operation === 'CREATE' || operation === 'UPDATE'),
  mutate({ object }) {
    const { spec } = object as Pod;
    if (!spec) return;
    const given = spec.tolerations ?? [];
    const added = keys
      .filter((key) => !given.some((toleration) => tolerates(toleration, key)))
      .map((key): Toleration => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds }));
    if (added.length > 0) spec.tolerations = [...given, ...added];
  },
};

/** No key means all keys, no effect means all effects. */
function tolerates({ key, effect }: Toleration, taint: string): boolean {
  return (!key || key === taint) && (!effect || effect === 'NoExecute');
}
