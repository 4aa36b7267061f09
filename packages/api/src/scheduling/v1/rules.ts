import type { KindRulesTable } from '../../kind-rules.js';
import { setPriorityClassDefaults } from './priority-class.defaults.js';
import { validatePriorityClass, validatePriorityClassUpdate } from './priority-class.validation.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  PriorityClass: {
    setDefaults: setPriorityClassDefaults,
    validate: validatePriorityClass,
    validateUpdate: validatePriorityClassUpdate,
  },
};
