import type { KindRules } from '../../kind-rules.js';
import { setTokenRequestDefaults } from './token-request.defaults.js';
import { validateTokenRequest } from './token-request.validation.js';

/** Kind → its defaults and validation. */
// biome-ignore lint/suspicious/noExplicitAny: a table of rules for different types
export const rules: Readonly<Record<string, KindRules<any>>> = {
  TokenRequest: { setDefaults: setTokenRequestDefaults, validate: validateTokenRequest },
};
