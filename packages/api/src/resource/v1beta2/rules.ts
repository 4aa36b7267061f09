import type { KindRulesTable } from '../../kind-rules.js';
import {
  validateDeviceTaintRule,
  validateDeviceTaintRuleStatusUpdate,
  validateDeviceTaintRuleUpdate,
} from './device-taint-rule.validation.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  DeviceTaintRule: {
    validate: validateDeviceTaintRule,
    validateUpdate: validateDeviceTaintRuleUpdate,
    validateStatusUpdate: validateDeviceTaintRuleStatusUpdate,
  },
};
