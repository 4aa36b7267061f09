import { validatePathSegmentName } from '@coracle/apimachinery';
import type { KindRulesTable } from '../../kind-rules.js';
import { setApiServiceDefaults } from './api-service.defaults.js';
import { validateApiService } from './api-service.validation.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  APIService: {
    setDefaults: setApiServiceDefaults,
    validateName: validatePathSegmentName,
    anyFinalizer: true,
    validate: validateApiService,
  },
};
