import { type Binding, type Pod, refs } from '@coracle/api';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionPlugin } from '../admission.js';

const topologyLabels = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

/** Labels a pod with the zone and the region of its node. */
export function podTopologyLabels({ objects }: { readonly objects: ObjectReader }): AdmissionPlugin {
  return {
    name: 'PodTopologyLabels',
    handles: ({ operation, resource, subresource }) =>
      operation === 'CREATE' &&
      resource.group === '' &&
      resource.resource === 'pods' &&
      (subresource === '' || subresource === 'binding'),
    mutate({ object, subresource }) {
      if (!object) return undefined;
      const node = subresource === 'binding' ? (object as Binding).target?.name : (object as Pod).spec?.nodeName;
      if (!node) return undefined;
      const nodeLabels = objects.get(refs.nodes, '', node)?.metadata.labels ?? {};
      const copied = topologyLabels
        .filter((label) => nodeLabels[label] !== undefined)
        .map((label) => [label, nodeLabels[label]]);
      if (copied.length === 0) return undefined;
      const labels = { ...object.metadata.labels, ...Object.fromEntries(copied) };
      return { ...object, metadata: { ...object.metadata, labels } };
    },
  };
}
