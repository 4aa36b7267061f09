import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec } from '../../generated/types/autoscaling-v1.js';
import type { KindRulesTable } from '../../kind-rules.js';
import { validateScale } from './scale.validation.js';

/** The annotations for metrics other than CPU in this version. */
const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics';

function setHorizontalPodAutoscalerDefaults(autoscaler: HorizontalPodAutoscaler): void {
  const spec = (autoscaler.spec ??= {} as HorizontalPodAutoscalerSpec);
  spec.minReplicas ??= 1;
  if (autoscaler.metadata.annotations?.[metricsAnnotation] === undefined) spec.targetCPUUtilizationPercentage ??= 80;
}

/** Kind → its defaults and validation. Autoscalers are stored, and so validated, as autoscaling/v2. */
export const rules: KindRulesTable = {
  HorizontalPodAutoscaler: { setDefaults: setHorizontalPodAutoscalerDefaults },
  Scale: { validate: validateScale },
};
