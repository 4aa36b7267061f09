import { type CSINodeDriver, refs } from '@coracle/api';
import { isConflict, isNotFound } from '@coracle/apimachinery';
import type { Client } from '@coracle/client';

/** What a driver says of itself on this node. */
export interface NodeDriver {
  readonly nodeId: string;
  readonly maxVolumesPerNode?: number;
  readonly accessibleTopology?: { readonly segments?: Readonly<Record<string, string>> };
}

const mostAttempts = 5;

/** Writes which CSI drivers a node has, which scheduler and attacher go by. */
export async function publishCsiNode(
  client: Client,
  nodeName: string,
  drivers: ReadonlyMap<string, NodeDriver>,
): Promise<void> {
  const nodes = client.resource(refs.csiNodes);
  const spec = { drivers: [...drivers].map(([name, driver]) => csiNodeDriver(name, driver)) };
  for (let attempt = 1; ; attempt++) {
    try {
      const present = await nodes.get(nodeName).catch(absent);
      if (present) await nodes.update({ ...present, spec });
      else await nodes.create({ metadata: { name: nodeName }, spec });
      return;
    } catch (error) {
      if (!isConflict(error) || attempt === mostAttempts) throw error;
    }
  }
}

function csiNodeDriver(name: string, { nodeId, maxVolumesPerNode, accessibleTopology }: NodeDriver): CSINodeDriver {
  return {
    name,
    nodeID: nodeId,
    topologyKeys: Object.keys(accessibleTopology?.segments ?? {}).sort(),
    ...(maxVolumesPerNode && { allocatable: { count: maxVolumesPerNode } }),
  };
}

function absent(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}
