import type { Endpoints } from '../../generated/types/core-v1.js';

export function setEndpointsDefaults(endpoints: Endpoints): void {
  for (const subset of endpoints.subsets ?? []) {
    for (const port of subset.ports ?? []) port.protocol ||= 'TCP';
  }
}
