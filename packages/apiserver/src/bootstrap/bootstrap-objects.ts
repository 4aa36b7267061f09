import { refs } from '@coracle/api';
import { isAlreadyExists } from '@coracle/apimachinery';
import { flowSchemas, priorityLevels } from '../registry/flowcontrol/flow-control-objects.js';
import type { WantedObject } from '../registry/wanted-object.js';
import type { Needs } from '../server-parts.js';

/** In the order of their making: what others live in comes first. */
export const systemNamespaces: readonly WantedObject[] = [
  'default',
  'kube-system',
  'kube-public',
  'kube-node-lease',
].map((name) => ({ ref: refs.namespaces, object: { metadata: { name } } }));

export const flowControlObjects: readonly WantedObject[] = [...priorityLevels, ...flowSchemas];

/** Makes those that are missing; what people have changed stays. */
export async function ensureObjects(
  { objects, writer }: Needs<'objects' | 'writer'>,
  bootstrapObjects: readonly WantedObject[],
): Promise<void> {
  await Promise.all(
    bootstrapObjects.map(async ({ ref, object }) => {
      const { name = '', namespace = '' } = object.metadata;
      if (objects.get(ref, namespace, name)) return;
      await writer.create(ref, object).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    }),
  );
}
