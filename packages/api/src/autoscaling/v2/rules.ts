import type { KindRules } from '../../kind-rules.js';
import { setHorizontalPodAutoscalerDefaults } from './horizontal-pod-autoscaler.defaults.js';
import {
  validateHorizontalPodAutoscaler,
  validateHorizontalPodAutoscalerStatusUpdate,
} from './horizontal-pod-autoscaler.validation.js';

/** Kind → its defaults and validation. */
// biome-ignore lint/suspicious/noExplicitAny: a table of rules for different types
export const rules: Readonly<Record<string, KindRules<any>>> = {
  HorizontalPodAutoscaler: {
    setDefaults: setHorizontalPodAutoscalerDefaults,
    validate: validateHorizontalPodAutoscaler,
    validateStatusUpdate: validateHorizontalPodAutoscalerStatusUpdate,
  },
};
