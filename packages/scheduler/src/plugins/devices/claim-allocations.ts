import { refs, type resourcev1 } from '@coracle/api';
import { keyOf, type ObjectKey } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { InformerFactory } from '@coracle/client';
import { AllocatedDevices, type DeviceUse } from './allocated-devices.js';
import { extendedClaimOwner, provisionalKey } from './extended-resources.js';

/**
 * Allocations of resource claims: those in their status, and assumed ones that are not written yet. Updated with the
 * claims, so that no scheduling cycle has to iterate over all of them.
 */
export class ClaimAllocations {
  readonly #devices = new AllocatedDevices();
  /** The counted allocation of each claim. */
  readonly #counted = new Map<ObjectKey, resourcev1.AllocationResult>();
  /** Assumed allocations that are not in the status yet. */
  readonly #allocations = new Map<ObjectKey, resourcev1.AllocationResult>();
  readonly #written = new Map<ObjectKey, resourcev1.AllocationResult>();

  static readonly #shared = new WeakMap<InformerFactory, ClaimAllocations>();

  /** Shared by all profiles of a scheduler, so that none allocates devices that another one is about to allocate. */
  static following(informers: InformerFactory): ClaimAllocations {
    const shared = ClaimAllocations.#shared.get(informers);
    if (shared) return shared;
    const allocations = new ClaimAllocations();
    ClaimAllocations.#shared.set(informers, allocations);
    informers.for(refs.resourceClaims).addHandler(({ type, object }) => {
      if (type === 'deleted') allocations.#allocations.delete(keyOf(object));
      allocations.#write(keyOf(object), type === 'deleted' ? undefined : object.status?.allocation);
      const owner = extendedClaimOwner(object);
      if (owner !== undefined && object.status?.allocation)
        allocations.settle(provisionalKey(object.metadata.namespace ?? '', owner));
    });
    return allocations;
  }

  get devices(): DeviceUse {
    return this.#devices;
  }

  of(claim: resourcev1.ResourceClaim): resourcev1.AllocationResult | undefined {
    return claim.status?.allocation ?? this.#allocations.get(keyOf(claim));
  }

  givenTo(key: ObjectKey): resourcev1.AllocationResult | undefined {
    return this.#allocations.get(key);
  }

  give(key: ObjectKey, allocation: resourcev1.AllocationResult): void {
    this.#allocations.set(key, allocation);
    this.#recount(key);
  }

  /** The assumed allocation failed, or is in the status by now. */
  settle(key: ObjectKey): void {
    this.#allocations.delete(key);
    this.#recount(key);
  }

  /** The function's result as if these claims had no devices. It must not await. */
  without<T>(keys: readonly ObjectKey[], run: () => T): T {
    const before = keys.map((key) => ({
      key,
      devices: this.#counted.get(key),
      allocation: this.#allocations.get(key),
    }));
    for (const { key, devices } of before) {
      if (devices) this.#devices.remove(devices);
      this.#allocations.delete(key);
    }
    try {
      return run();
    } finally {
      for (const { key, devices, allocation } of before) {
        if (devices) this.#devices.add(devices);
        if (allocation) this.#allocations.set(key, allocation);
      }
    }
  }

  #write(key: ObjectKey, allocation: resourcev1.AllocationResult | undefined): void {
    if (allocation) this.#written.set(key, allocation);
    else this.#written.delete(key);
    if (allocation) this.#allocations.delete(key);
    this.#recount(key);
  }

  #recount(key: ObjectKey): void {
    const before = this.#counted.get(key);
    const after = this.#written.get(key) ?? this.#allocations.get(key);
    if (before === after) return;
    if (before && after && deepEqual(before.devices?.results, after.devices?.results)) {
      // The allocation is in the status now.
      this.#counted.set(key, after);
      return;
    }
    if (before) this.#devices.remove(before);
    if (after) {
      this.#devices.add(after);
      this.#counted.set(key, after);
    } else this.#counted.delete(key);
  }
}
