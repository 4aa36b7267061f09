import { choicesOf, type TopologyHint } from '../topology/topology-hints.js';
import type { PluginDevice } from './device-plugin.js';

export interface DeviceHintsInput {
  /** All devices of the resource. */
  readonly devices: readonly PluginDevice[];
  /** Devices that the container could get. */
  readonly available: readonly PluginDevice[];
  /** Devices that it reuses, which every choice must include. */
  readonly reusable: ReadonlySet<string>;
  readonly count: number;
  readonly allNodes: readonly number[];
}

/** Sets of NUMA nodes with enough devices; `undefined` if no device has a topology. */
export function deviceHints(input: DeviceHintsInput): readonly TopologyHint[] | undefined {
  const { devices, available, reusable, count, allNodes } = input;
  if (devices.every(({ numaNodes }) => numaNodes.length === 0)) return undefined;
  const choices = choicesOf(allNodes);
  const within = (choice: readonly number[]) => (device: PluginDevice) => isNear(device, choice);
  const smallest = choices.find((choice) => devices.filter(within(choice)).length >= count)?.length;
  return choices
    .filter((choice) => {
      const near = available.filter(within(choice));
      const taken = available.filter(({ id }) => reusable.has(id));
      return near.length >= count && taken.every(within(choice));
    })
    .map((choice) => ({ nodes: choice, preferred: choice.length === smallest }));
}

/** Devices on these NUMA nodes first; then devices on other nodes, then devices without topology. */
export function byAffinity(
  devices: readonly PluginDevice[],
  nodes: readonly number[] | undefined,
): { readonly aligned: readonly string[]; readonly others: readonly string[] } {
  const ids = (some: readonly PluginDevice[]) => some.map(({ id }) => id);
  if (nodes === undefined) return { aligned: ids(devices), others: [] };
  const far = devices.filter((device) => !isNear(device, nodes));
  const [elsewhere, anywhere] = [
    far.filter(({ numaNodes }) => numaNodes.length > 0),
    far.filter(({ numaNodes }) => numaNodes.length === 0),
  ];
  return { aligned: ids(devices.filter((device) => isNear(device, nodes))), others: ids([...elsewhere, ...anywhere]) };
}

function isNear({ numaNodes }: PluginDevice, nodes: readonly number[]): boolean {
  return numaNodes.some((node) => nodes.includes(node));
}
