import type { KindRules } from '../../kind-rules.js';
import { validateLease } from './lease.validation.js';

/** Kind → its defaults and validation. */
// biome-ignore lint/suspicious/noExplicitAny: a table of rules for different types
export const rules: Readonly<Record<string, KindRules<any>>> = {
  Lease: { anyFinalizer: true, validate: validateLease },
};
