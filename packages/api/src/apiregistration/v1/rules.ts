import { validatePathSegmentName } from '@coracle/apimachinery';
import type { KindRules } from '../../kind-rules.js';
import { setApiServiceDefaults } from './api-service.defaults.js';
import { validateApiService } from './api-service.validation.js';

/** Kind → its defaults and validation. */
// biome-ignore lint/suspicious/noExplicitAny: a table of rules for different types
export const rules: Readonly<Record<string, KindRules<any>>> = {
  APIService: {
    setDefaults: setApiServiceDefaults,
    validateName: validatePathSegmentName,
    anyFinalizer: true,
    validate: validateApiService,
  },
};
