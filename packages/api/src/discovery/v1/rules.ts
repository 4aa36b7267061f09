import type { KindRules } from '../../kind-rules.js';
import { setEndpointSliceDefaults } from './endpoint-slice.defaults.js';
import { validateEndpointSlice, validateEndpointSliceUpdate } from './endpoint-slice.validation.js';

/** Kind → its defaults and validation. */
// biome-ignore lint/suspicious/noExplicitAny: a table of rules for different types
export const rules: Readonly<Record<string, KindRules<any>>> = {
  EndpointSlice: {
    setDefaults: setEndpointSliceDefaults,
    validate: validateEndpointSlice,
    validateUpdate: validateEndpointSliceUpdate,
  },
};
