import type { EndpointSlice } from '@coracle/api';
import { deepEqual } from '@coracle/base';
import { nullEmptyLists } from '../null-empty-lists.js';
import type { Strategy } from '../strategy.js';

/** A change of labels increases the generation, because they refer to the service. */
export const endpointSliceStrategy: Strategy<EndpointSlice> = {
  hasGeneration: true,

  prepareForCreate: dropTopology,

  prepareForUpdate(slice, previous) {
    if (!deepEqual(slice.endpoints, previous.endpoints)) dropTopology(slice);
    const { metadata } = slice;
    if (deepEqual(metadata.labels ?? {}, previous.metadata.labels ?? {})) return;
    metadata.generation = (previous.metadata.generation ?? 0) + 1;
  },

  canonicalize: nullEmptyLists('endpoints', 'ports'),
};

/** The topology of v1beta1 cannot be written through v1. */
function dropTopology({ endpoints }: EndpointSlice): void {
  for (const endpoint of endpoints ?? []) delete endpoint.deprecatedTopology;
}
