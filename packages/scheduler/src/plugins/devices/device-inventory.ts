import { type Node, refs, type resourcev1 } from '@coracle/api';
import { deepEqual } from '@coracle/base';
import type { InformerFactory } from '@coracle/client';
import { devicesOf, type NodeDevices, poolOfSlice, type SlicesOfPool } from './device-pools.js';

interface NodeSlices {
  readonly node: Node;
  readonly devices: NodeDevices;
}

const byNode = 'node';
const byPool = 'pool';
const everywhere = '*';

/** The devices that drivers publish, by node. The result for a node is cached until one of its pools changes. */
export class DeviceInventory {
  readonly #slices: (node: string) => readonly resourcev1.ResourceSlice[];
  readonly #slicesOfPool: SlicesOfPool;
  readonly #slicesByNode = new Map<string, NodeSlices>();
  /** By pool, the nodes of its slices: a newer generation may have others. */
  readonly #nodesOfPool = new Map<string, Set<string>>();
  #version = 0;

  constructor(informers: InformerFactory) {
    const slices = informers.for(refs.resourceSlices);
    slices.addIndex(byNode, sliceNode);
    slices.addIndex(byPool, (slice) => [poolOfSlice(slice)]);
    this.#slices = (node) => [...slices.byIndex(byNode, node), ...slices.byIndex(byNode, everywhere)];
    this.#slicesOfPool = (pool) => slices.byIndex(byPool, pool);
    slices.addHandler(({ object }) => this.#forget(object));
  }

  /** Increases with every change of a slice. */
  get version(): number {
    return this.#version;
  }

  on(node: Node): NodeDevices {
    const name = node.metadata.name ?? '';
    const slices = this.#slicesByNode.get(name);
    if (slices?.node === node) return slices.devices;
    const isSelectedAlike = slices && deepEqual(slices.node.metadata.labels, node.metadata.labels);
    const devices = isSelectedAlike ? slices.devices : devicesOf(node, this.#slices(name), this.#slicesOfPool);
    this.#slicesByNode.set(name, { node, devices });
    return devices;
  }

  #forget(slice: resourcev1.ResourceSlice): void {
    this.#version++;
    const pool = poolOfSlice(slice);
    const nodes = this.#nodesOfPool.get(pool) ?? new Set();
    for (const name of sliceNode(slice)) nodes.add(name);
    this.#nodesOfPool.set(pool, nodes);
    if (nodes.has(everywhere)) this.#slicesByNode.clear();
    else for (const name of nodes) this.#slicesByNode.delete(name);
  }
}

function sliceNode({ spec }: resourcev1.ResourceSlice): string[] {
  return [spec.nodeName && !spec.perDeviceNodeSelection ? spec.nodeName : everywhere];
}
