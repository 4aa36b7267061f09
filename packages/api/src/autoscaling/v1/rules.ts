import type { FieldError } from '@coracle/apimachinery';
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec } from '../../generated/types/autoscaling-v1.js';
import type { KindRules } from '../../kind-rules.js';
import {
  validateHorizontalPodAutoscaler,
  validateHorizontalPodAutoscalerStatusUpdate,
} from '../v2/horizontal-pod-autoscaler.validation.js';
import { autoscalerV1ToV2, hasOtherMetrics } from './horizontal-pod-autoscaler.conversion.js';
import { validateScale } from './scale.validation.js';

function setHorizontalPodAutoscalerDefaults(autoscaler: HorizontalPodAutoscaler): void {
  const spec = (autoscaler.spec ??= {} as HorizontalPodAutoscalerSpec);
  spec.minReplicas ??= 1;
  if (!hasOtherMetrics(autoscaler)) spec.targetCPUUtilizationPercentage ??= 80;
}

/** There is one set of rules, that of version 2, whose fields messages name too. */
function validate(autoscaler: HorizontalPodAutoscaler): FieldError[] {
  return validateHorizontalPodAutoscaler(autoscalerV1ToV2(autoscaler));
}

/** Kind → its defaults and validation. */
// biome-ignore lint/suspicious/noExplicitAny: a table of rules for different types
export const rules: Readonly<Record<string, KindRules<any>>> = {
  HorizontalPodAutoscaler: {
    setDefaults: setHorizontalPodAutoscalerDefaults,
    validate,
    validateStatusUpdate: (object) => validateHorizontalPodAutoscalerStatusUpdate(autoscalerV1ToV2(object)),
  },
  Scale: { validate: validateScale },
};
