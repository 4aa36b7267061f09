import type { KindRulesTable } from '../../kind-rules.js';
import { setHorizontalPodAutoscalerDefaults } from './horizontal-pod-autoscaler.defaults.js';
import {
  validateHorizontalPodAutoscaler,
  validateHorizontalPodAutoscalerStatusUpdate,
} from './horizontal-pod-autoscaler.validation.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  HorizontalPodAutoscaler: {
    setDefaults: setHorizontalPodAutoscalerDefaults,
    validate: validateHorizontalPodAutoscaler,
    validateStatusUpdate: validateHorizontalPodAutoscalerStatusUpdate,
  },
};
