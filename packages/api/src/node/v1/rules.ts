import type { KindRules } from '../../kind-rules.js';
import { setRuntimeClassDefaults } from './runtime-class.defaults.js';
import { validateRuntimeClass, validateRuntimeClassUpdate } from './runtime-class.validation.js';

/** Kind → its defaults and validation. */
// biome-ignore lint/suspicious/noExplicitAny: a table of rules for different types
export const rules: Readonly<Record<string, KindRules<any>>> = {
  RuntimeClass: {
    setDefaults: setRuntimeClassDefaults,
    validate: validateRuntimeClass,
    validateUpdate: validateRuntimeClassUpdate,
  },
};
