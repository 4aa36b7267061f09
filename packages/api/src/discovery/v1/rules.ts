import type { KindRulesTable } from '../../kind-rules.js';
import { setEndpointSliceDefaults } from './endpoint-slice.defaults.js';
import { validateEndpointSlice, validateEndpointSliceUpdate } from './endpoint-slice.validation.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  EndpointSlice: {
    setDefaults: setEndpointSliceDefaults,
    validate: validateEndpointSlice,
    validateUpdate: validateEndpointSliceUpdate,
  },
};
