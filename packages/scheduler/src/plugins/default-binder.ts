import { refs } from '@coracle/api';
import type { Client } from '@coracle/client';
import type { BindPlugin } from '../framework/plugin.js';

/** Writes the binding to the API server. */
export function defaultBinder(client: Client): BindPlugin {
  return {
    name: 'DefaultBinder',
    async bind(_state, { pod, namespace }, node) {
      const { name = '', uid } = pod.metadata;
      const metadata = { name, namespace, ...(uid && { uid }) };
      const binding = { apiVersion: 'v1', kind: 'Binding', metadata, target: { kind: 'Node', name: node } };
      await client.resource(refs.pods, namespace).createSubresource(name, 'binding', binding);
      return 'bound';
    },
  };
}
