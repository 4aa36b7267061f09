import { describe, expect, it } from 'vitest';
import { cellsOf } from '../../columns/row.fixture.js';

const cpu = (target: object) => ({ type: 'Resource', resource: { name: 'cpu', target } });
const half = { type: 'Utilization', averageUtilization: 50 };
const external = (target: object) => ({ type: 'External', external: { metric: { name: 'q' }, target } });

describe('the table of autoscalers', () => {
  it.each<readonly [string, readonly object[], readonly object[]]>([
    ['<none>', [], []],
    ['cpu: <unknown>/50%', [cpu(half)], []],
    [
      'cpu: 10%/50%',
      [cpu(half)],
      [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 10 } } }],
    ],
    [
      'cpu: 100m/500m',
      [cpu({ type: 'AverageValue', averageValue: '500m' })],
      [{ type: 'Resource', resource: { name: 'cpu', current: { averageValue: '100m' } } }],
    ],
    [
      'memory: 5%/80%',
      [
        {
          type: 'ContainerResource',
          containerResource: { name: 'memory', container: 'a', target: { ...half, averageUtilization: 80 } },
        },
      ],
      [
        {
          type: 'ContainerResource',
          containerResource: { name: 'memory', container: 'a', current: { averageUtilization: 5 } },
        },
      ],
    ],
    [
      '<unknown>/10',
      [{ type: 'Pods', pods: { metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: '10' } } }],
      [],
    ],
    [
      '7/10',
      [
        {
          type: 'Object',
          object: {
            metric: { name: 'rps' },
            describedObject: { kind: 'Service', name: 's' },
            target: { type: 'Value', value: '10' },
          },
        },
      ],
      [
        {
          type: 'Object',
          object: { metric: { name: 'rps' }, describedObject: { kind: 'Service', name: 's' }, current: { value: '7' } },
        },
      ],
    ],
    ['<unknown>/10 (avg)', [external({ type: 'AverageValue', averageValue: '10' })], []],
    [
      'cpu: <unknown>/50%, <unknown>/1 + 1 more...',
      [cpu(half), external({ type: 'Value', value: '1' }), cpu(half)],
      [],
    ],
  ])('shows the targets %s', (targets, metrics, currentMetrics) => {
    const autoscaler = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, minReplicas: 2, maxReplicas: 5, metrics },
      status: { desiredReplicas: 3, currentReplicas: 3, currentMetrics },
    };
    expect(cellsOf(autoscaler)).toEqual(['x', 'Deployment/web', targets, '2', 5, 3, '5d']);
  });

  it('shows a scale', () => {
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 3 }, status: { replicas: 2 } };
    expect(cellsOf(scale)).toEqual(['x', 3, 2, '5d']);
  });
});
