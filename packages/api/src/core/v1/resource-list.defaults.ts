import type { ResourceRequirements } from '../../generated/types/core-v1.js';
import type { Quantity } from '../../generated/types/meta-v1.js';
import { roundUpToMilli } from '../../validation/quantities.js';

/** Resources are counted in thousandths; anything finer is rounded up. */
export function setResourceListDefaults(list: Record<string, Quantity> | undefined): void {
  for (const [name, quantity] of Object.entries(list ?? {})) {
    const rounded = roundUpToMilli(quantity);
    if (list && rounded !== quantity) list[name] = rounded;
  }
}

export function setResourceRequirementsDefaults(requirements: ResourceRequirements | undefined): void {
  setResourceListDefaults(requirements?.limits);
  setResourceListDefaults(requirements?.requests);
}
