import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec } from '../../generated/types/autoscaling-v1.js';
import type { KindRules } from '../../kind-rules.js';
import { validateScale } from './scale.validation.js';

/** Where metrics other than the use of cpu stand in this version. */
const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics';

function setHorizontalPodAutoscalerDefaults(autoscaler: HorizontalPodAutoscaler): void {
  const spec = (autoscaler.spec ??= {} as HorizontalPodAutoscalerSpec);
  spec.minReplicas ??= 1;
  if (autoscaler.metadata.annotations?.[metricsAnnotation] === undefined) spec.targetCPUUtilizationPercentage ??= 80;
}

/** Kind → its defaults and validation. Autoscalers are stored, and so validated, as autoscaling/v2. */
// biome-ignore lint/suspicious/noExplicitAny: a table of rules for different types
export const rules: Readonly<Record<string, KindRules<any>>> = {
  HorizontalPodAutoscaler: { setDefaults: setHorizontalPodAutoscalerDefaults },
  Scale: { validate: validateScale },
};
