import { type Node, nodeSelectorMatches, type resourcev1, type resourcev1beta2, selectsDevice } from '@coracle/api';

/** A device that a node can use. */
export interface PoolDevice {
  /** `driver/pool/device`. */
  readonly id: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: resourcev1.Device;
  /** The nodes that can use it, if it is neither this one only nor all. */
  readonly nodeSelector?: NonNullable<resourcev1.ResourceSliceSpec['nodeSelector']>;
  readonly reach: 'node' | 'selector' | 'all';
}

/** The devices of a node that match a request. */
export interface Candidates {
  readonly devices: readonly PoolDevice[];
  /** Whether some of them are shared. */
  readonly hasShares: boolean;
}

/** Counts the allocations and releases of devices of a pool. */
export interface PoolChanges {
  /** While it stays the same, available devices of the pool stay available. */
  readonly taken: number;
  /** While it stays the same, unavailable devices of the pool stay unavailable. */
  readonly givenBack: number;
}

/** Whether some requests can be satisfied, with the counter that must be unchanged for the result to be valid. */
export interface Answer {
  readonly canFill: boolean;
  /** The `DeviceUse` that counts, and its counters of the pools of the node. */
  readonly use: object;
  readonly changes: readonly PoolChanges[];
  readonly countThen: number;
}

export interface NodeDevices {
  readonly devices: readonly PoolDevice[];
  /** By request: the devices found before. */
  readonly candidates: Map<string, Candidates>;
  /** By class of a pod's requests: whether they could be satisfied here. */
  readonly answers: Map<object, Answer>;
  /** Pool ids (see `poolId`) of the devices. */
  readonly pools: readonly string[];
  /** By `driver/pool/counterSet`: the counters that its devices share. */
  readonly counters: ReadonlyMap<string, resourcev1.CounterSet>;
  readonly unusable: readonly UnusablePool[];
}

/**
 * Nothing is allocated from a pool that is incomplete, because some of it is still to be published, or invalid, because
 * it has two devices of one name.
 */
export interface UnusablePool {
  /** As `poolId` names it. */
  readonly pool: string;
  readonly state: 'incomplete' | 'invalid';
}

export function deviceId({
  driver,
  pool,
  device,
}: {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
}): string {
  return `${driver}/${pool}/${device}`;
}

export function poolId({ driver, pool }: { readonly driver: string; readonly pool: string }): string {
  return `${driver}/${pool}`;
}

export type SlicesOfPool = (pool: string) => readonly resourcev1.ResourceSlice[];

/**
 * The devices that pods on a node can use: those of the newest generation of each complete pool. A pool may have slices
 * for other nodes: `slicesOfPool` finds those that are not in `slices`.
 */
export function devicesOf(
  node: Node,
  slices: readonly resourcev1.ResourceSlice[],
  slicesOfPool: SlicesOfPool = () => slices,
): NodeDevices {
  const devices: PoolDevice[] = [];
  const counters = new Map<string, resourcev1.CounterSet>();
  const unusable: UnusablePool[] = [];
  for (const pool of inOrder(newestPools(slices.filter((slice) => isFor(node, slice))))) {
    const state = stateOf(pool, slicesOfPool);
    if (state === 'incomplete' || state === 'invalid') unusable.push({ pool: pool.map(poolOfSlice)[0] ?? '', state });
    if (state !== 'complete') continue;
    devices.push(...pool.flatMap((slice) => reachable(node, slice)));
    for (const { spec } of pool)
      for (const set of spec.sharedCounters ?? []) counters.set(`${spec.driver}/${spec.pool.name}/${set.name}`, set);
  }
  const pools = [...new Set(devices.map(poolId))];
  return { devices, pools, candidates: new Map(), answers: new Map(), counters, unusable };
}

/** The slices of a pool that are for a node. */
function stateOf(
  pool: readonly resourcev1.ResourceSlice[],
  slicesOfPool: SlicesOfPool,
): 'complete' | 'incomplete' | 'replaced' | 'invalid' | 'empty' {
  const [first] = pool;
  if (!first) return 'empty';
  const { resourceSliceCount, generation } = first.spec.pool;
  if (pool.length !== resourceSliceCount) {
    const id = poolOfSlice(first);
    const generations = slicesOfPool(id)
      .filter((slice) => poolOfSlice(slice) === id)
      .map(({ spec }) => spec.pool.generation);
    if (generations.some((other) => other > generation)) return 'replaced';
    if (generations.filter((other) => other === generation).length !== resourceSliceCount) return 'incomplete';
  }
  const names = pool.flatMap(({ spec }) => (spec.devices ?? []).map(({ name }) => name));
  return new Set(names).size === names.length ? 'complete' : 'invalid';
}

/** The id of a pool, see `poolId`. */
export function poolOfSlice({ spec }: resourcev1.ResourceSlice): string {
  return `${spec.driver}/${spec.pool.name}`;
}

/** The same devices with the taints of DeviceTaintRules. */
export function withRuleTaints(found: NodeDevices, rules: readonly resourcev1beta2.DeviceTaintRule[]): NodeDevices {
  if (rules.length === 0) return found;
  const devices = found.devices.map((one) => {
    const named = { driver: one.driver, pool: one.pool, device: one.device.name };
    const taints = rules.filter((rule) => selectsDevice(rule, named)).map(({ spec }) => spec.taint);
    return taints.length === 0
      ? one
      : { ...one, device: { ...one.device, taints: [...(one.device.taints ?? []), ...taints] } };
  });
  return { ...found, devices, candidates: new Map(), answers: new Map() };
}

function newestPools(slices: readonly resourcev1.ResourceSlice[]): resourcev1.ResourceSlice[][] {
  const pools = new Map<string, resourcev1.ResourceSlice[]>();
  for (const slice of slices) {
    const key = poolOfSlice(slice);
    const slicesOfPool = pools.get(key) ?? [];
    const generation = slicesOfPool[0]?.spec.pool.generation ?? -1;
    if (slice.spec.pool.generation > generation) pools.set(key, [slice]);
    else if (slice.spec.pool.generation === generation) slicesOfPool.push(slice);
  }
  return [...pools.values()];
}

/** Devices with binding conditions come last. */
function inOrder(pools: resourcev1.ResourceSlice[][]): resourcev1.ResourceSlice[][] {
  const isSlow = (pool: readonly resourcev1.ResourceSlice[]) =>
    pool.some(({ spec }) => spec.devices?.some(({ bindingConditions }) => bindingConditions?.length));
  const slow = new Set(pools.filter(isSlow));
  return slow.size === 0 ? pools : [...pools.filter((pool) => !slow.has(pool)), ...slow];
}

function isFor(node: Node, { spec }: resourcev1.ResourceSlice): boolean {
  if (!spec.perDeviceNodeSelection) return reachOf(node, spec) !== undefined;
  return (spec.devices ?? []).some((device) => reachOf(node, device) !== undefined);
}

function reachable(node: Node, { spec }: resourcev1.ResourceSlice): PoolDevice[] {
  const { driver, pool } = spec;
  return (spec.devices ?? []).flatMap((device) => {
    const place = spec.perDeviceNodeSelection ? device : spec;
    const reach = reachOf(node, place);
    if (!reach) return [];
    const id = deviceId({ driver, pool: pool.name, device: device.name });
    const { nodeSelector } = place;
    return [
      { id, driver, pool: pool.name, device, reach, ...(reach === 'selector' && nodeSelector && { nodeSelector }) },
    ];
  });
}

function reachOf(
  node: Node,
  { nodeName, allNodes, nodeSelector }: Pick<resourcev1.Device, 'nodeName' | 'allNodes' | 'nodeSelector'>,
): PoolDevice['reach'] | undefined {
  if (allNodes) return 'all';
  if (nodeName) return nodeName === node.metadata.name ? 'node' : undefined;
  return nodeSelector && nodeSelectorMatches(nodeSelector, node) ? 'selector' : undefined;
}
