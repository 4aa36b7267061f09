import { validatePathSegmentName } from '@coracle/apimachinery';
import type { KindRules } from '../../kind-rules.js';
import {
  validatePodDisruptionBudget,
  validatePodDisruptionBudgetStatusUpdate,
} from './pod-disruption-budget.validation.js';

/** Kind → its defaults and validation. */
// biome-ignore lint/suspicious/noExplicitAny: a table of rules for different types
export const rules: Readonly<Record<string, KindRules<any>>> = {
  PodDisruptionBudget: {
    validateName: validatePathSegmentName,
    validate: validatePodDisruptionBudget,
    validateStatusUpdate: validatePodDisruptionBudgetStatusUpdate,
  },
};
