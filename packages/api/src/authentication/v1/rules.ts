import type { KindRulesTable } from '../../kind-rules.js';
import { setTokenRequestDefaults } from './token-request.defaults.js';
import { validateTokenRequest } from './token-request.validation.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  TokenRequest: { setDefaults: setTokenRequestDefaults, validate: validateTokenRequest },
};
