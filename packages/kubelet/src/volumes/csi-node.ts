import { type CSINodeDriver, refs } from '@coracle/api';
import { isConflict, isNotFound } from '@coracle/apimachinery';
import type { Client } from '@coracle/client';

/** Node information of a CSI driver. */
export interface NodeDriver {
  readonly nodeId: string;
  readonly maxVolumesPerNode?: number;
  readonly accessibleTopology?: { readonly segments?: Readonly<Record<string, string>> };
}

const mostAttempts = 5;

/** Writes the CSI drivers of a node into its CSINode, which scheduler and attacher use. */
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

/**
 * The topology of drivers as node labels, which restrict where volumes are accessible. Throws if the node has another
 * value already.
 */
export async function labelTopology(
  client: Client,
  nodeName: string,
  drivers: ReadonlyMap<string, NodeDriver>,
): Promise<void> {
  const labels = Object.assign({}, ...[...drivers.values()].map((driver) => driver.accessibleTopology?.segments ?? {}));
  if (Object.keys(labels).length === 0) return;
  const nodes = client.resource(refs.nodes);
  const { metadata } = await nodes.get(nodeName);
  for (const [name, value] of Object.entries(labels)) {
    const present = metadata.labels?.[name];
    if (present !== undefined && present !== value)
      throw new Error(
        `detected topology value collision: driver reported "${name}":"${value}" but existing label is "${name}":"${present}"`,
      );
  }
  if (Object.keys(labels).some((name) => metadata.labels?.[name] === undefined))
    await nodes.patch(nodeName, { metadata: { labels } }, { type: 'strategic' });
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
