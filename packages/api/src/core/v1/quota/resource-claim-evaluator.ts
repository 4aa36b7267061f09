import { Quantity } from '@coracle/apimachinery';
import type { DeviceSubRequest, ExactDeviceRequest, ResourceClaim } from '../../../generated/types/resource-v1.js';
import { addTo, type ResourceAmounts } from '../pod-resources.js';
import { countName, one } from './count-evaluator.js';
import { type DeviceQuotaSource, extendedCharges, isExtendedDeviceName } from './extended-claim-charges.js';
import type { QuotaEvaluator } from './quota-evaluator.js';

const claims = { group: 'resource.k8s.io', resource: 'resourceclaims' } as const;
const classSuffix = '.deviceclass.resource.k8s.io/devices';
/** A claim for all devices that suit may get so many. */
const mostDevices = 32;

/** Resource claims cost themselves, and by device class the devices that they may get, also as extended resources. */
export function resourceClaimEvaluator(source: DeviceQuotaSource): QuotaEvaluator<ResourceClaim> {
  return {
    ...claims,
    counts: (name) => name === countName(claims) || name.endsWith(classSuffix) || isExtendedDeviceName(name, source),
    usage(claim, now) {
      const usage: ResourceAmounts = new Map([[countName(claims), one]]);
      const devices = devicesByClass(claim);
      for (const [className, amount] of devices) usage.set(`${className}${classSuffix}`, amount);
      addTo(usage, extendedCharges(claim, devices, { source, now }));
      return usage;
    },
    matchesScope: () => false,
    chargesUpdate: () => true,
  };
}

function devicesByClass({ spec }: ResourceClaim): Map<string, Quantity> {
  const devices = new Map<string, Quantity>();
  for (const { exactly, firstAvailable = [] } of spec.devices?.requests ?? [])
    for (const [className, count] of largestByClass(exactly ? [exactly] : firstAvailable))
      devices.set(className, (devices.get(className) ?? Quantity.zero).add(Quantity.of(count)));
  return devices;
}

/** One of the alternatives is allocated: each class is charged for the one that takes most of it. */
function largestByClass(alternatives: readonly (ExactDeviceRequest | DeviceSubRequest)[]): Map<string, number> {
  const largest = new Map<string, number>();
  for (const { deviceClassName, allocationMode, count = 1 } of alternatives) {
    const devices = allocationMode === 'All' ? mostDevices : count;
    largest.set(deviceClassName, Math.max(largest.get(deviceClassName) ?? 0, devices));
  }
  return largest;
}
