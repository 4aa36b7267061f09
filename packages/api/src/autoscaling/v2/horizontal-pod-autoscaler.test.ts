import { formatFieldError } from '@coracle/apimachinery';
import { describe, expect, it } from 'vitest';
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec } from '../../generated/types/autoscaling-v2.js';
import { setHorizontalPodAutoscalerDefaults } from './horizontal-pod-autoscaler.defaults.js';
import { validateHorizontalPodAutoscaler } from './horizontal-pod-autoscaler.validation.js';

const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

function makeAutoscaler(spec: Partial<HorizontalPodAutoscalerSpec> = {}): HorizontalPodAutoscaler {
  const autoscaler = { metadata: { name: 'x' }, spec: { scaleTargetRef, maxReplicas: 5, ...spec } };
  setHorizontalPodAutoscalerDefaults(autoscaler);
  return autoscaler;
}

describe('a horizontal pod autoscaler', () => {
  it('targets 80 % of the cpu by default', () => {
    expect(makeAutoscaler().spec).toEqual({
      scaleTargetRef,
      maxReplicas: 5,
      minReplicas: 1,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
      ],
    });
  });

  it('has a complete behavior if it has a part of one', () => {
    expect(makeAutoscaler({ behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } }).spec?.behavior).toEqual({
      scaleUp: {
        stabilizationWindowSeconds: 0,
        selectPolicy: 'Max',
        policies: [
          { type: 'Pods', value: 4, periodSeconds: 15 },
          { type: 'Percent', value: 100, periodSeconds: 15 },
        ],
      },
      scaleDown: {
        stabilizationWindowSeconds: 60,
        selectPolicy: 'Max',
        policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
      },
    });
  });

  it.each<{ name: string; spec: Partial<HorizontalPodAutoscalerSpec>; errors: string[] }>([
    { name: 'is right', spec: {}, errors: [] },
    {
      name: 'has a largest size',
      spec: { maxReplicas: 0 },
      errors: [
        'spec.maxReplicas: Required value: must be set and greater than 0',
        'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
      ],
    },
    {
      name: 'scales something of a group',
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'a/b', apiVersion: 'v1' } },
      errors: [
        'spec.scaleTargetRef.name: Invalid value: "a/b": may not contain \'/\'',
        'spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group',
      ],
    },
    {
      name: 'measures what it says it measures',
      spec: { metrics: [{ type: 'Pods' }] },
      errors: ['spec.metrics[0].pods: Required value: must populate information for the given metric source'],
    },
    {
      name: 'aims at a share or at an amount',
      spec: {
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50, averageValue: '1' } },
          },
        ],
      },
      errors: [
        'spec.metrics[0].resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization',
      ],
    },
    {
      name: 'waits no longer than an hour',
      spec: { behavior: { scaleUp: { stabilizationWindowSeconds: 3601 } } },
      errors: [
        'spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
      ],
    },
  ])('$name', ({ spec, errors }) => {
    expect(validateHorizontalPodAutoscaler(makeAutoscaler(spec)).map(formatFieldError)).toEqual(errors);
  });
});
