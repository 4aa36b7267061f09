import type { Node } from '@coracle/api';
import type { AdmissionPlugin } from '../admission.js';

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** Taints new nodes as not ready, so that they get no pods until the node controller removes the taint. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  handles: ({ operation, resource, subresource }) =>
    resource.group === '' && resource.resource === 'nodes' && subresource === '' && operation === 'CREATE',
  mutate({ object }) {
    const node = object as Node;
    const taints = node.spec?.taints ?? [];
    if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return undefined;
    return { ...node, spec: { ...node.spec, taints: [...taints, { ...notReady }] } };
  },
};
