import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HPAScalingRules,
} from '../../generated/types/autoscaling-v2.js';

export function setHorizontalPodAutoscalerDefaults(autoscaler: HorizontalPodAutoscaler): void {
  const spec = (autoscaler.spec ??= {} as HorizontalPodAutoscalerSpec);
  spec.minReplicas ??= 1;
  if (!spec.metrics?.length) {
    const target = { type: 'Utilization', averageUtilization: 80 };
    spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
  }
  if (!spec.behavior) return;
  spec.behavior.scaleUp = { ...scaleUp(), ...spec.behavior.scaleUp };
  spec.behavior.scaleDown = { ...scaleDown(), ...spec.behavior.scaleDown };
}

/** Up at once, and by what allows more: four pods or twice as many every fifteen seconds. */
function scaleUp(): HPAScalingRules {
  return {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  };
}

/** Down to 0 if allowed; the stabilization window before is a setting of the controller. */
function scaleDown(): HPAScalingRules {
  return { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };
}
