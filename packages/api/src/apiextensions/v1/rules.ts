import { validatePathSegmentName } from '@coracle/apimachinery';
import type { KindRules } from '../../kind-rules.js';
import { setCustomResourceDefinitionDefaults } from './custom-resource-definition.defaults.js';
import {
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionStatusUpdate,
  validateCustomResourceDefinitionUpdate,
} from './custom-resource-definition.validation.js';

/** Kind → its defaults and validation. */
// biome-ignore lint/suspicious/noExplicitAny: a table of rules for different types
export const rules: Readonly<Record<string, KindRules<any>>> = {
  CustomResourceDefinition: {
    setDefaults: setCustomResourceDefinitionDefaults,
    validateName: validatePathSegmentName,
    anyFinalizer: true,
    validate: validateCustomResourceDefinition,
    validateUpdate: validateCustomResourceDefinitionUpdate,
    validateStatusUpdate: validateCustomResourceDefinitionStatusUpdate,
  },
};
