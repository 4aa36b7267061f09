import type { KindRules } from '../../kind-rules.js';
import { setPriorityClassDefaults } from './priority-class.defaults.js';
import { validatePriorityClass, validatePriorityClassUpdate } from './priority-class.validation.js';

/** Kind → its defaults and validation. */
// biome-ignore lint/suspicious/noExplicitAny: a table of rules for different types
export const rules: Readonly<Record<string, KindRules<any>>> = {
  PriorityClass: {
    setDefaults: setPriorityClassDefaults,
    validate: validatePriorityClass,
    validateUpdate: validatePriorityClassUpdate,
  },
};
