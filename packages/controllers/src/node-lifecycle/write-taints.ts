import { type Node, refs, type Taint } from '@coracle/api';
import { isNotFound } from '@coracle/apimachinery';
import type { ControllerContext } from '../controller.js';

/** Writes the taints of a node, if there is anything to write. Fails with a conflict if the node has changed meanwhile. */
export async function writeTaints(
  { client }: ControllerContext,
  { metadata }: Node,
  taints: readonly Taint[] | undefined,
): Promise<void> {
  if (!taints) return;
  const { name = '', resourceVersion } = metadata;
  const patch = { metadata: { resourceVersion }, spec: { taints: taints.length > 0 ? taints : null } };
  await client
    .resource(refs.nodes)
    .patch(name, patch, { type: 'merge' })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}
