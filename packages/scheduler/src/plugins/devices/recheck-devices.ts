import type { resourcev1 } from '@coracle/api';
import { parseQuantity, Quantity } from '@coracle/apimachinery';
import type { DeviceUse } from './allocated-devices.js';
import { CounterUse } from './counter-use.js';
import { deviceId, type NodeDevices } from './device-pools.js';

/**
 * Whether devices that were found can still be had. Between the choice of a node and the reservation, while extenders
 * or other plugins work, another pod may have got them, shares of them, or what they share with others.
 */
export function canStillBeHad(
  allocations: Iterable<resourcev1.AllocationResult>,
  { devices, counters }: NodeDevices,
  use: DeviceUse,
): boolean {
  const counted = new CounterUse(counters, devices, use);
  const added = new Map<string, Map<string, Quantity>>();
  for (const { devices: deviceResult } of allocations)
    for (const result of deviceResult?.results ?? []) {
      if (result.adminAccess) continue;
      const id = deviceId(result);
      const found = devices.find((one) => one.id === id);
      if (!found || use.isTaken(id)) return false;
      const isFirst = !use.isShared(id) && !added.has(id);
      if (result.shareID === undefined ? !isFirst : !fitsBeside(found.device, result, { use, added })) return false;
      if (!isFirst) continue;
      if (!counted.hasRoom(found)) return false;
      counted.add(found);
      if (!added.has(id)) added.set(id, new Map());
    }
  return true;
}

/** Counts the share if there is room for it. */
function fitsBeside(
  device: resourcev1.Device,
  result: resourcev1.DeviceRequestAllocationResult,
  { use, added }: { readonly use: DeviceUse; readonly added: Map<string, Map<string, Quantity>> },
): boolean {
  const id = deviceId(result);
  const own = new Map(added.get(id));
  for (const [name, text] of Object.entries(result.consumedCapacity ?? {})) {
    const amount = (own.get(name) ?? Quantity.zero).add(parseQuantity(text));
    const limit = parseQuantity(device.capacity?.[name]?.value ?? '0');
    if (use.consumed(id, name).add(amount).compare(limit) > 0) return false;
    own.set(name, amount);
  }
  if (own.size > 0) added.set(id, own);
  return true;
}
