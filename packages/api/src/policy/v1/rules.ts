import { validatePathSegmentName } from '@coracle/apimachinery';
import type { KindRulesTable } from '../../kind-rules.js';
import {
  validatePodDisruptionBudget,
  validatePodDisruptionBudgetStatusUpdate,
} from './pod-disruption-budget.validation.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  PodDisruptionBudget: {
    validateName: validatePathSegmentName,
    anyFinalizer: true,
    validate: validatePodDisruptionBudget,
    validateStatusUpdate: validatePodDisruptionBudgetStatusUpdate,
  },
};
