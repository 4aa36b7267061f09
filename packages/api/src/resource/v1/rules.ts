import type { KindRulesTable } from '../../kind-rules.js';
import { validateDeviceClass } from './device-class.validation.js';
import { setResourceClaimDefaults, setResourceClaimTemplateDefaults } from './resource-claim.defaults.js';
import {
  validateResourceClaim,
  validateResourceClaimTemplate,
  validateResourceClaimTemplateUpdate,
  validateResourceClaimUpdate,
} from './resource-claim.validation.js';
import { validateResourceClaimStatusUpdate } from './resource-claim-status.validation.js';
import { setResourceSliceDefaults } from './resource-slice.defaults.js';
import { validateResourceSlice, validateResourceSliceUpdate } from './resource-slice.validation.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
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
  ResourceSlice: {
    setDefaults: setResourceSliceDefaults,
    validate: validateResourceSlice,
    validateUpdate: validateResourceSliceUpdate,
  },
};
