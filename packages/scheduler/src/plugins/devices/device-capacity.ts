import type { resourcev1 } from '@coracle/api';
import { parseQuantity, Quantity } from '@coracle/apimachinery';
import type { DeviceUse } from './allocated-devices.js';
import type { PoolDevice } from './device-pools.js';
import { qualifiedName } from './device-selectors.js';

/** Quantities by the name of the capacity. */
export type Amounts = ReadonlyMap<string, Quantity>;

/**
 * The consumed amount of each capacity of a shared device, or `undefined` if it is not available. If a policy lists
 * valid amounts, the next larger one is used.
 */
export function shareOf(
  { driver, device }: PoolDevice,
  requested: Readonly<Record<string, string>>,
): Amounts | undefined {
  const capacities = Object.entries(device.capacity ?? {});
  if (!Object.keys(requested).every((name) => capacities.some(([key]) => isNamed(driver, key, name)))) return undefined;
  const share = new Map<string, Quantity>();
  for (const [key, capacity] of capacities) {
    const [, requestedAmount] = Object.entries(requested).find(([name]) => isNamed(driver, key, name)) ?? [];
    const amount = amountOf(capacity, requestedAmount);
    if (!amount || amount.compare(parseQuantity(capacity.value)) > 0) return undefined;
    share.set(key, amount);
  }
  return share;
}

/** Whether an exclusively allocated device has at least the requested capacity. */
export function hasCapacity({ driver, device }: PoolDevice, requested: Readonly<Record<string, string>>): boolean {
  return Object.entries(requested).every(([name, requestedAmount]) => {
    const [, capacity] = Object.entries(device.capacity ?? {}).find(([key]) => isNamed(driver, key, name)) ?? [];
    return capacity !== undefined && parseQuantity(capacity.value).compare(parseQuantity(requestedAmount)) >= 0;
  });
}

/** Whether the capacity is available in addition to other allocations and those of this search. */
export function fitsBeside(
  { id, device }: PoolDevice,
  share: Amounts,
  { use, chosen }: { readonly use: DeviceUse; readonly chosen: readonly Amounts[] },
): boolean {
  return [...share].every(([name, amount]) => {
    const taken = chosen.reduce((sum, one) => sum.add(one.get(name) ?? Quantity.zero), use.consumed(id, name));
    return taken.add(amount).compare(parseQuantity(device.capacity?.[name]?.value ?? '0')) <= 0;
  });
}

function isNamed(driver: string, key: string, name: string): boolean {
  return qualifiedName(driver, key) === qualifiedName(driver, name);
}

function amountOf(
  { value, requestPolicy }: resourcev1.DeviceCapacity,
  requestedAmount: string | undefined,
): Quantity | undefined {
  const amount = parseQuantity(requestedAmount ?? requestPolicy?.default ?? value);
  const { validValues, validRange } = requestPolicy ?? {};
  if (validValues?.length) {
    const larger = validValues.map((one) => parseQuantity(one)).filter((one) => one.compare(amount) >= 0);
    return larger.sort((a, b) => a.compare(b))[0];
  }
  return validRange ? inRange(amount, validRange) : amount;
}

/** Rounded up to the next step from the minimum; never above the maximum. */
function inRange(
  requestedQuantity: Quantity,
  { min = '0', max, step }: resourcev1.CapacityRequestPolicyRange,
): Quantity | undefined {
  const least = parseQuantity(min);
  let amount = requestedQuantity.compare(least) < 0 ? least : requestedQuantity;
  if (step !== undefined) {
    const width = parseQuantity(step).nanos;
    const over = amount.nanos - least.nanos;
    const steps = width > 0n ? (over + width - 1n) / width : 0n;
    if (width > 0n) amount = new Quantity(least.nanos + steps * width, requestedQuantity.format);
  }
  return max !== undefined && amount.compare(parseQuantity(max)) > 0 ? undefined : amount;
}
