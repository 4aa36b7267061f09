import type { autoscalingv1 } from '@coracle/api';
import type { GroupVersionResource, KubeObject, ResourceRef } from '@coracle/apimachinery';
import type { Client } from './client.js';

type Scale = autoscalingv1.Scale;

/** Reads and writes the number of replicas of any resource with a scale subresource. */
export interface ScaleClient {
  get(name: string): Promise<Scale>;
  /** Fails with `Conflict` if the scale has been changed since it was read. */
  update(scale: Scale): Promise<Scale>;
  /** Sets the number of replicas unconditionally. */
  set(name: string, replicas: number): Promise<Scale>;
}

/** The scale of a resource that has one: deployments, replica sets, stateful sets, custom resources. */
export function scaleClient(client: Client, ref: GroupVersionResource, namespace: string): ScaleClient {
  const target: ResourceRef<KubeObject> = { ...ref, kind: '', namespaced: true };
  const resource = client.resource(target, namespace);
  return {
    get: (name) => resource.getSubresource<Scale>(name, 'scale'),
    update: (scale) => resource.updateSubresource(scale.metadata.name ?? '', 'scale', scale),
    set: async (name, replicas) =>
      (await resource.patch(name, { spec: { replicas } }, { type: 'merge', subresource: 'scale' })) as Scale,
  };
}
