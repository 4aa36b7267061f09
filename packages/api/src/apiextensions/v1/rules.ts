import type { KindRulesTable } from '../../kind-rules.js';
import { setCustomResourceDefinitionDefaults } from './custom-resource-definition.defaults.js';
import {
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionStatusUpdate,
  validateCustomResourceDefinitionUpdate,
} from './custom-resource-definition.validation.js';

import { unrecognizedFormats } from './schema-warnings.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  CustomResourceDefinition: {
    setDefaults: setCustomResourceDefinitionDefaults,
    anyFinalizer: true,
    warnings: unrecognizedFormats,
    validate: validateCustomResourceDefinition,
    validateUpdate: validateCustomResourceDefinitionUpdate,
    validateStatusUpdate: validateCustomResourceDefinitionStatusUpdate,
  },
};
