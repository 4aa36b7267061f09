import { type Node, nodeSelectorMatches, type resourcev1, type resourcev1beta2, selectsDevice } from '@coracle/api';

/** A device that can be reached from a node. */
export interface PoolDevice {
  /** `driver/pool/device`. */
  readonly id: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: resourcev1.Device;
  /** Which nodes reach it, if not this one alone and not all. */
  readonly nodeSelector?: NonNullable<resourcev1.ResourceSliceSpec['nodeSelector']>;
  readonly reach: 'node' | 'selector' | 'all';
}

/** The devices of a node that suit some request. */
export interface Candidates {
  readonly devices: readonly PoolDevice[];
  /** Whether some of them are given in shares. */
  readonly hasShares: boolean;
}

/** How many devices of a pool, or shares of devices, were ever taken and given back. */
export interface PoolChanges {
  /** Until it grows, devices that are available in the pool stay available. */
  readonly taken: number;
  /** Until it grows, devices that are not available in the pool stay unavailable. */
  readonly givenBack: number;
}

/** Whether some requests can be filled, and the count of changes that must not have grown for that to be so still. */
export interface Answer {
  readonly canFill: boolean;
  /** The `DeviceUse` that counts the changes, and its counts of the pools of the node. */
  readonly use: object;
  readonly changes: readonly PoolChanges[];
  readonly countThen: number;
}

export interface NodeDevices {
  readonly devices: readonly PoolDevice[];
  /** By what is wanted: what was found for it before. */
  readonly candidates: Map<string, Candidates>;
  /** By the kind of the requests of a pod: whether they could be filled here. */
  readonly answers: Map<object, Answer>;
  /** As `poolId` names them: those of the devices. */
  readonly pools: readonly string[];
  /** By `driver/pool/counterSet`: what its devices share. */
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
 * The devices that pods on a node can have: of each pool the newest generation, if all of it is there. A pool may have
 * slices for other nodes: `slicesOfPool` finds those that are not among `slices`.
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

/** Of the slices of a pool that are for a node. */
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

/** As `poolId` names it. */
export function poolOfSlice({ spec }: resourcev1.ResourceSlice): string {
  return `${spec.driver}/${spec.pool.name}`;
}

/** The same devices with the taints that DeviceTaintRules put on them. */
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

/** Devices that pods have to wait for come last. */
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
