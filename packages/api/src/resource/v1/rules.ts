import type { KindRules } from '../../kind-rules.js';
import { validateDeviceClass } from './device-class.validation.js';
import { setResourceClaimDefaults, setResourceClaimTemplateDefaults } from './resource-claim.defaults.js';
import {
  validateResourceClaim,
  validateResourceClaimStatusUpdate,
  validateResourceClaimTemplate,
  validateResourceClaimTemplateUpdate,
  validateResourceClaimUpdate,
} from './resource-claim.validation.js';
import { validateResourceSlice, validateResourceSliceUpdate } from './resource-slice.validation.js';

/** Kind → its defaults and validation. */
// biome-ignore lint/suspicious/noExplicitAny: a table of rules for different types
export const rules: Readonly<Record<string, KindRules<any>>> = {
  DeviceClass: { validate: validateDeviceClass },
  ResourceClaim: {
    setDefaults: setResourceClaimDefaults,
    validate: validateResourceClaim,
    validateUpdate: validateResourceClaimUpdate,
    validateStatusUpdate: validateResourceClaimStatusUpdate,
  },
  ResourceClaimTemplate: {
    setDefaults: setResourceClaimTemplateDefaults,
    validate: validateResourceClaimTemplate,
    validateUpdate: validateResourceClaimTemplateUpdate,
  },
  ResourceSlice: { validate: validateResourceSlice, validateUpdate: validateResourceSliceUpdate },
};
