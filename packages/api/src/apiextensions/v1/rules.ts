import type { KindRulesTable } from '../../kind-rules.js';
import { setCustomResourceDefinitionDefaults } from './custom-resource-definition.defaults.js';
import {
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionStatusUpdate,
  validateCustomResourceDefinitionUpdate,
} from './custom-resource-definition.validation.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  CustomResourceDefinition: {
    setDefaults: setCustomResourceDefinitionDefaults,
    anyFinalizer: true,
    validate: validateCustomResourceDefinition,
    validateUpdate: validateCustomResourceDefinitionUpdate,
    validateStatusUpdate: validateCustomResourceDefinitionStatusUpdate,
  },
};
