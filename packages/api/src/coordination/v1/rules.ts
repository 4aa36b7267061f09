import type { KindRulesTable } from '../../kind-rules.js';
import { validateLease } from './lease.validation.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  Lease: { anyFinalizer: true, validate: validateLease },
};
