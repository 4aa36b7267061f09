import type { Container, Pod } from '@coracle/api';
import { parseQuantity } from '@coracle/apimachinery';
import { type Clock, type Logger, type Millis, messageOf } from '@coracle/base';
import type { Checkpoints } from '../checkpoints.js';
import { isSidecar } from '../restart-policy.js';
import type { HintProvider, Hints } from '../topology/topology-hints.js';
import { type DeviceAllocation, DeviceAllocations } from './device-allocations.js';
import { byAffinity, deviceHints } from './device-hints.js';
import { type DeviceGrant, type DevicePlugin, mergeGrants, type PluginDevice } from './device-plugin.js';

export interface DeviceManagerOptions {
  readonly checkpoints: Checkpoints;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The devices of the node have changed. */
  readonly onChange: () => void;
}

/** The devices of one resource. */
interface ResourceState {
  /** Absent after its connection was lost. */
  plugin: DevicePlugin | undefined;
  devices: ReadonlyMap<string, PluginDevice>;
  /** Removes the resource if its plugin does not register again. */
  timer: Disposable | undefined;
}

/** A request for devices of a container. */
interface DeviceRequest {
  readonly resource: string;
  readonly count: number;
  /** Reusable devices of previous init containers. */
  readonly reusable: ReadonlySet<string>;
  /** Preferred NUMA nodes; `undefined` for any. */
  readonly nodes: readonly number[] | undefined;
}

/** Time for which the devices of a disconnected plugin are counted. */
const stoppedPatienceMs: Millis = 300_000;
const checkpointName = 'device-plugins/kubelet_internal_checkpoint';

/** Tracks the devices of device plugins on the node, and allocates them to containers. */
export class DeviceManager implements Disposable, HintProvider {
  readonly #options: DeviceManagerOptions;
  readonly #resources = new Map<string, ResourceState>();
  readonly #allocations = new DeviceAllocations();
  /** Pods are allocated one at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: DeviceManagerOptions) {
    this.#options = options;
  }

  /** Restores the allocations from before a restart. */
  async start(): Promise<void> {
    const { checkpoints, logger } = this.#options;
    try {
      const text = await checkpoints.read(checkpointName);
      if (text !== undefined) this.#allocations.fromText(text);
    } catch (error) {
      logger.error('The checkpoint of device allocations could not be read', { error });
    }
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#resources.values()) timer?.[Symbol.dispose]();
  }

  /** Registers a plugin, which may replace another one for the same resource. Its devices follow. */
  register(plugin: DevicePlugin): void {
    const state = this.#stateOf(plugin.resource);
    state.timer?.[Symbol.dispose]();
    state.timer = undefined;
    state.plugin = plugin;
  }

  /** Sets all devices of the plugin. Updates of a replaced plugin are ignored. */
  update(plugin: DevicePlugin, devices: readonly PluginDevice[]): void {
    const state = this.#stateOf(plugin.resource);
    if (state.plugin !== plugin) return;
    state.devices = new Map(devices.map((device) => [device.id, device]));
    this.#options.onChange();
    void this.#save();
  }

  /** The plugin has disconnected: its devices cannot be allocated until it registers again. */
  lost(plugin: DevicePlugin): void {
    const state = this.#stateOf(plugin.resource);
    if (state.plugin !== plugin) return;
    state.plugin = undefined;
    state.devices = new Map([...state.devices].map(([id, device]) => [id, { ...device, healthy: false }]));
    state.timer = this.#options.clock.schedule(stoppedPatienceMs, () => {
      state.devices = new Map();
      this.#options.onChange();
    });
    this.#options.onChange();
  }

  /** Capacity and allocatable of each resource: all devices, and the healthy ones. */
  counts(): ReadonlyMap<string, { readonly capacity: number; readonly allocatable: number }> {
    return new Map(
      [...this.#resources].map(([name, { devices }]) => {
        const healthy = [...devices.values()].filter((device) => device.healthy);
        return [name, { capacity: devices.size, allocatable: healthy.length }];
      }),
    );
  }

  /** The healthy devices of each resource. */
  allocatable(): ReadonlyMap<string, readonly PluginDevice[]> {
    return new Map(
      [...this.#resources].map(([name, { devices }]) => [name, [...devices.values()].filter(({ healthy }) => healthy)]),
    );
  }

  device(resource: string, id: string): PluginDevice | undefined {
    return this.#resources.get(resource)?.devices.get(id);
  }

  allocationsOf(podUid: string, container?: string): readonly DeviceAllocation[] {
    return this.#allocations.of(podUid, container);
  }

  /** The runtime options of the container's devices. */
  grantOf({ metadata }: Pod, { name }: Container): DeviceGrant {
    return mergeGrants(this.#allocations.of(metadata.uid ?? '', name).map(({ grant }) => grant));
  }

  /**
   * Allocates devices to all containers of the pod that request some and have none. Throws if that is not possible.
   */
  prepare(pod: Pod): Promise<void> {
    const turn = this.#turn.then(() => this.#prepare(pod));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** NUMA hints for each device resource of the container. */
  hints(pod: Pod, container: Container, allNodes: readonly number[]): Hints {
    return this.#requestedDevices(container).map(([resource, count]) => {
      const devices = [...(this.#resources.get(resource)?.devices.values() ?? [])];
      const held = this.#heldBy(pod, container, resource);
      const reusable = held ? new Set(held) : this.#reusable(pod, container, resource);
      const available = held ? devices.filter(({ id }) => held.includes(id)) : this.#available(resource, reusable);
      return deviceHints({ devices, available, reusable, count, allNodes });
    });
  }

  /** Allocates the missing devices of the container, preferably from these NUMA nodes. */
  async allocate(pod: Pod, container: Container, nodes: readonly number[] | undefined): Promise<void> {
    const missing = this.#requestedDevices(container).filter(([resource]) => !this.#heldBy(pod, container, resource));
    for (const [resource, count] of missing) {
      const reusable = this.#reusable(pod, container, resource);
      await this.#allocate(pod, container, { resource, count, reusable, nodes });
    }
    if (missing.length > 0) await this.#save();
  }

  /** Calls `PreStartContainer` of the plugins that require it. */
  async preStart({ metadata }: Pod, { name }: Container): Promise<void> {
    for (const { resource, ids } of this.#allocations.of(metadata.uid ?? '', name)) {
      const plugin = this.#resources.get(resource)?.plugin;
      if (plugin?.preStartRequired) await plugin.preStart(ids);
    }
  }

  /** Releases the devices of pods without running containers. */
  async release(isActive: (podUid: string) => boolean): Promise<void> {
    if (this.#allocations.keep(isActive)) await this.#save();
  }

  async #prepare(pod: Pod): Promise<void> {
    for (const container of [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])])
      await this.allocate(pod, container, undefined);
  }

  #heldBy({ metadata }: Pod, { name }: Container, resource: string): readonly string[] | undefined {
    return this.#allocations.of(metadata.uid ?? '', name).find((one) => one.resource === resource)?.ids;
  }

  /** Devices of ordinary init containers are reusable by later containers, until one that keeps running takes them. */
  #reusable(pod: Pod, container: Container, resource: string): ReadonlySet<string> {
    const { containers = [], initContainers = [] } = pod.spec ?? {};
    const all = [...initContainers, ...containers];
    const free = new Set<string>();
    for (const earlier of all.slice(0, all.indexOf(container)))
      for (const id of this.#heldBy(pod, earlier, resource) ?? [])
        if (initContainers.includes(earlier) && !isSidecar(earlier)) free.add(id);
        else free.delete(id);
    return free;
  }

  /** Healthy devices that are free, or reusable for the container. */
  #available(resource: string, reusable: ReadonlySet<string>): PluginDevice[] {
    const inUse = this.#allocations.inUse(resource);
    const devices = [...(this.#resources.get(resource)?.devices.values() ?? [])];
    return devices.filter(({ id, healthy }) => healthy && (!inUse.has(id) || reusable.has(id)));
  }

  /** The resources of plugins that a container requests. */
  #requestedDevices({ resources }: Container): [string, number][] {
    return Object.entries(resources?.limits ?? {})
      .filter(([name]) => this.#resources.has(name))
      .map(([name, amount]): [string, number] => [name, parseQuantity(amount).value()])
      .filter(([, count]) => count > 0);
  }

  async #allocate(pod: Pod, container: Container, request: DeviceRequest): Promise<void> {
    const { resource } = request;
    const plugin = this.#resources.get(resource)?.plugin;
    if (!plugin) throw new Error(`no healthy devices present; cannot allocate unhealthy devices ${resource}`);
    const ids = await this.#choose(plugin, request);
    const grant = await plugin.allocate(ids).catch((error: unknown) => {
      throw new Error(`rpc error: ${messageOf(error)}`);
    });
    this.#allocations.add({ podUid: pod.metadata.uid ?? '', container: container.name, resource, ids, grant });
  }

  async #choose(plugin: DevicePlugin, { count, reusable, nodes }: DeviceRequest): Promise<readonly string[]> {
    const { resource } = plugin;
    const devices = this.#available(resource, reusable);
    if (devices.length < count)
      throw new Error(
        `requested number of devices unavailable for ${resource}. Requested: ${count}, Available: ${devices.length}`,
      );
    const { aligned, others } = byAffinity(devices, nodes);
    const again = [...aligned, ...others].filter((id) => reusable.has(id));
    const mustInclude = again.slice(0, count);
    const isNew = (id: string) => !mustInclude.includes(id);
    const usual = [...mustInclude, ...aligned.filter(isNew), ...others.filter(isNew)].slice(0, count);
    if (!plugin.hasPreference || devices.length === count) return usual;
    // The plugin chooses among the devices of the NUMA nodes, if these are enough.
    const isEnough = mustInclude.length + aligned.filter(isNew).length >= count;
    const available = isEnough ? [...mustInclude, ...aligned.filter(isNew)] : devices.map(({ id }) => id);
    const preferred = await plugin.preferred({ available, mustInclude, count });
    const isGood = preferred.length === count && preferred.every((id) => available.includes(id));
    return isGood ? preferred : usual;
  }

  #stateOf(resource: string): ResourceState {
    const state = this.#resources.get(resource) ?? { plugin: undefined, devices: new Map(), timer: undefined };
    this.#resources.set(resource, state);
    return state;
  }

  async #save(): Promise<void> {
    const { checkpoints, logger } = this.#options;
    const registered = Object.fromEntries(
      [...this.#resources].map(([name, { devices }]) => [name, [...devices.keys()]]),
    );
    await checkpoints
      .write(checkpointName, this.#allocations.toText(registered))
      .catch((error: unknown) => logger.error('The checkpoint of device allocations could not be written', { error }));
  }
}
