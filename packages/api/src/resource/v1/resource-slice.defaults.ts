import type { ResourceSlice } from '../../generated/types/resource-v1.js';

/** What a device takes of its node it takes once. */
export function setResourceSliceDefaults({ spec }: ResourceSlice): void {
  for (const { nodeAllocatableResourceMappings: mappings } of spec?.devices ?? []) {
    for (const mapping of Object.values(mappings ?? {})) mapping.allocationMultiplier ??= '1';
  }
}
