import type { KindRulesTable } from '../../kind-rules.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {};
