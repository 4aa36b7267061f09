import type { resourcev1 } from '@coracle/api';
import { parseQuantity, Quantity } from '@coracle/apimachinery';
import { deviceId, type PoolChanges, poolId } from './device-pools.js';

/** The allocated part of a device. */
export interface DeviceUse {
  /** Whether it is allocated exclusively. */
  isTaken(id: string): boolean;
  /** Whether shares of it are allocated. */
  isShared(id: string): boolean;
  /** Consumed amount of a capacity. */
  consumed(id: string, capacity: string): Quantity;
  /** The change counters of a pool: always the same object. */
  changesOf(pool: string): PoolChanges;
}

/** Counts allocations as they are made and released. Allocations with admin access do not count. */
export class AllocatedDevices implements DeviceUse {
  /** Number of exclusive allocations: more than one only if another allocator is running. */
  readonly #whole = new Map<string, number>();
  readonly #shares = new Map<string, { count: number; readonly consumed: Map<string, Quantity> }>();
  readonly #changes = new Map<string, { taken: number; givenBack: number }>();

  changesOf(pool: string): { taken: number; givenBack: number } {
    let changes = this.#changes.get(pool);
    if (!changes) {
      changes = { taken: 0, givenBack: 0 };
      this.#changes.set(pool, changes);
    }
    return changes;
  }

  isTaken(id: string): boolean {
    return this.#whole.has(id);
  }

  isShared(id: string): boolean {
    return this.#shares.has(id);
  }

  consumed(id: string, capacity: string): Quantity {
    return this.#shares.get(id)?.consumed.get(capacity) ?? Quantity.zero;
  }

  add(allocation: resourcev1.AllocationResult): void {
    for (const result of allocation.devices?.results ?? []) this.#count(result, 1);
  }

  remove(allocation: resourcev1.AllocationResult): void {
    for (const result of allocation.devices?.results ?? []) this.#count(result, -1);
  }

  #count(result: resourcev1.DeviceRequestAllocationResult, sign: 1 | -1): void {
    if (result.adminAccess) return;
    const changes = this.changesOf(poolId(result));
    if (sign > 0) changes.taken++;
    else changes.givenBack++;
    const id = deviceId(result);
    if (result.shareID === undefined) {
      const count = (this.#whole.get(id) ?? 0) + sign;
      if (count > 0) this.#whole.set(id, count);
      else this.#whole.delete(id);
      return;
    }
    const shares = this.#shares.get(id) ?? { count: 0, consumed: new Map<string, Quantity>() };
    shares.count += sign;
    for (const [name, text] of Object.entries(result.consumedCapacity ?? {})) {
      const before = shares.consumed.get(name) ?? Quantity.zero;
      const amount = parseQuantity(text);
      shares.consumed.set(name, sign > 0 ? before.add(amount) : before.sub(amount));
    }
    if (shares.count > 0) this.#shares.set(id, shares);
    else this.#shares.delete(id);
  }
}
