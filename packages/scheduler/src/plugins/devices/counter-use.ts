import type { resourcev1 } from '@coracle/api';
import { parseQuantity, Quantity } from '@coracle/apimachinery';
import type { DeviceUse } from './allocated-devices.js';
import type { PoolDevice } from './device-pools.js';

/** Consumption of shared counters by devices that are partitions of a larger one. */
export class CounterUse {
  readonly #sets: ReadonlyMap<string, resourcev1.CounterSet>;
  readonly #used = new Map<string, Quantity>();

  constructor(sets: ReadonlyMap<string, resourcev1.CounterSet>, devices: readonly PoolDevice[], use: DeviceUse) {
    this.#sets = sets;
    if (sets.size === 0) return;
    for (const device of devices) if (use.isTaken(device.id) || use.isShared(device.id)) this.add(device);
  }

  hasRoom(device: PoolDevice): boolean {
    for (const { key, set, name, value } of consumption(device)) {
      const limit = this.#sets.get(set)?.counters[name]?.value;
      if (limit === undefined) return false;
      if ((this.#used.get(key) ?? Quantity.zero).add(value).compare(parseQuantity(limit)) > 0) return false;
    }
    return true;
  }

  add(device: PoolDevice): void {
    for (const { key, value } of consumption(device))
      this.#used.set(key, (this.#used.get(key) ?? Quantity.zero).add(value));
  }

  remove(device: PoolDevice): void {
    for (const { key, value } of consumption(device))
      this.#used.set(key, (this.#used.get(key) ?? Quantity.zero).sub(value));
  }
}

function* consumption({ driver, pool, device }: PoolDevice) {
  for (const { counterSet, counters } of device.consumesCounters ?? []) {
    const set = `${driver}/${pool}/${counterSet}`;
    for (const [name, { value }] of Object.entries(counters))
      yield { key: `${set}/${name}`, set, name, value: parseQuantity(value) };
  }
}
