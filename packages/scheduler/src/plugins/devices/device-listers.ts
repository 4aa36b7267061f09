import { type Node, refs, type resourcev1 } from '@coracle/api';
import { keyOf, type ObjectKey } from '@coracle/apimachinery';
import type { InformerFactory } from '@coracle/client';
import { ClaimAllocations } from './claim-allocations.js';
import { DeviceInventory } from './device-inventory.js';
import { deviceId } from './device-pools.js';

/** Objects that replace those of the same name, or are added. */
export interface DeviceOverlay {
  readonly claims?: readonly resourcev1.ResourceClaim[];
  readonly classes?: readonly resourcev1.DeviceClass[];
  /** Claims that release their devices. */
  readonly freed?: readonly ObjectKey[];
}

/** Lookups of the plugin DynamicResources. */
export interface DeviceListers {
  readonly inventory: DeviceInventory;
  readonly allocations: ClaimAllocations;
  claim(key: ObjectKey): resourcev1.ResourceClaim | undefined;
  deviceClass(name: string): resourcev1.DeviceClass | undefined;
  /** The claims with devices of the node. */
  holders(node: Node): readonly resourcev1.ResourceClaim[];
  /** The function's result with these objects in the listers. It must not await. */
  during<T>(overlay: DeviceOverlay, run: () => T): T;
}

const shared = new WeakMap<InformerFactory, DeviceListers>();

/** Shared by all users of the informers, so that an overlay applies to all profiles. */
export function deviceListers(informers: InformerFactory): DeviceListers {
  const listers = shared.get(informers) ?? makeListers(informers);
  shared.set(informers, listers);
  return listers;
}

function makeListers(informers: InformerFactory): DeviceListers {
  const claims = informers.for(refs.resourceClaims);
  const classes = informers.for(refs.deviceClasses);
  const inventory = new DeviceInventory(informers);
  const allocations = ClaimAllocations.following(informers);
  let overlay: DeviceOverlay = {};
  return {
    inventory,
    allocations,
    claim: (key) => overlay.claims?.find((one) => keyOf(one) === key) ?? claims.get(key),
    deviceClass: (name) => overlay.classes?.find(({ metadata }) => metadata.name === name) ?? classes.get(name),
    holders(node) {
      const ids = new Set(inventory.on(node).devices.map(({ id }) => id));
      return claims.list().filter((claim) => {
        const results = allocations.of(claim)?.devices?.results ?? [];
        return results.some((result) => !result.adminAccess && ids.has(deviceId(result)));
      });
    },
    during(objects, run) {
      overlay = objects;
      try {
        return allocations.without(objects.freed ?? [], run);
      } finally {
        overlay = {};
      }
    },
  };
}
