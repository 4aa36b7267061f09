import type { resourcev1 } from '@coracle/api';
import { parseQuantity, Quantity } from '@coracle/apimachinery';
import { deviceId, poolId } from './device-pools.js';

/** What allocations have taken of devices. */
export interface DeviceUse {
  /** Whether one allocation has it all. */
  isTaken(id: string): boolean;
  /** Whether there are shares of it. */
  isShared(id: string): boolean;
  /** How much its shares have of a capacity. */
  consumed(id: string, capacity: string): Quantity;
  /** Grows whenever something of these pools is taken: until then, what can be had can still be had. */
  takenFrom(pools: readonly string[]): number;
  /** Grows whenever something is given back to these pools: until then, what cannot be had still cannot be had. */
  givenBackTo(pools: readonly string[]): number;
}

/** Counts allocations as they come and go. Those with admin access take nothing. */
export class AllocatedDevices implements DeviceUse {
  /** How many allocations have the whole device: one, unless another allocator is at work. */
  readonly #whole = new Map<string, number>();
  readonly #shares = new Map<string, { count: number; readonly consumed: Map<string, Quantity> }>();
  /** By pool: how many devices, or shares of devices, were ever taken and given back. */
  readonly #taken = new Map<string, number>();
  readonly #givenBack = new Map<string, number>();

  takenFrom(pools: readonly string[]): number {
    return sumOver(this.#taken, pools);
  }

  givenBackTo(pools: readonly string[]): number {
    return sumOver(this.#givenBack, pools);
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
    const changes = sign > 0 ? this.#taken : this.#givenBack;
    const pool = poolId(result);
    changes.set(pool, (changes.get(pool) ?? 0) + 1);
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

function sumOver(counts: ReadonlyMap<string, number>, pools: readonly string[]): number {
  let sum = 0;
  for (const pool of pools) sum += counts.get(pool) ?? 0;
  return sum;
}
