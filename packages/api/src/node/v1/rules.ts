import type { KindRulesTable } from '../../kind-rules.js';
import { setRuntimeClassDefaults } from './runtime-class.defaults.js';
import { validateRuntimeClass, validateRuntimeClassUpdate } from './runtime-class.validation.js';
import { runtimeClassWarnings } from './runtime-class.warnings.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  RuntimeClass: {
    setDefaults: setRuntimeClassDefaults,
    validate: validateRuntimeClass,
    validateUpdate: validateRuntimeClassUpdate,
    warnings: runtimeClassWarnings,
  },
};
