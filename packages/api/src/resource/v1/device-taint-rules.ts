import type { DeviceTaintRule } from '../../generated/types/resource-v1beta2.js';

export interface NamedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
}

/** Whether a DeviceTaintRule taints a device. A rule without a selector taints none; an empty selector means all. */
export function selectsDevice({ spec }: DeviceTaintRule, { driver, pool, device }: NamedDevice): boolean {
  const { deviceSelector: selector } = spec;
  if (!selector) return false;
  return (
    (selector.driver === undefined || selector.driver === driver) &&
    (selector.pool === undefined || selector.pool === pool) &&
    (selector.device === undefined || selector.device === device)
  );
}
