import type { EndpointSlice } from '../../generated/types/discovery-v1.js';

export function setEndpointSliceDefaults({ ports }: EndpointSlice): void {
  for (const port of ports ?? []) {
    port.name ??= '';
    port.protocol ??= 'TCP';
  }
}
