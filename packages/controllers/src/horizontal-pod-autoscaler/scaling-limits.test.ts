import type { autoscalingv2 } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import {
  limitScaling,
  noHistory,
  rememberRecommendation,
  rememberRescale,
  type ScalingHistory,
} from './scaling-limits.js';

const second = 1000;
const now = 10_000 * second;
const downscaleMs = 300 * second;
const base: autoscalingv2.HorizontalPodAutoscalerSpec = {
  scaleTargetRef: { kind: 'Deployment', name: 'd' },
  minReplicas: 2,
  maxReplicas: 20,
};
const behavior = (more: autoscalingv2.HorizontalPodAutoscalerBehavior): autoscalingv2.HorizontalPodAutoscalerSpec => ({
  ...base,
  behavior: more,
});
const rules = (...policies: [string, number, number][]) => ({
  policies: policies.map(([type, value, periodSeconds]) => ({ type, value, periodSeconds })),
});
const recommended = (...entries: [number, number][]): ScalingHistory => ({
  ...noHistory,
  recommendations: entries.map(([replicas, agoSeconds]) => ({ replicas, at: now - agoSeconds * second })),
});

describe('HPA-13 limits', () => {
  test.each<[string, autoscalingv2.HorizontalPodAutoscalerSpec, number, number, ScalingHistory, number, string]>([
    ['follows at once on the way up', base, 4, 6, noHistory, 6, 'DesiredWithinRange'],
    ['at most doubles', base, 5, 18, noHistory, 10, 'ScaleUpLimit'],
    ['or comes to four', base, 2, 18, noHistory, 4, 'ScaleUpLimit'],
    ['not above the maximum', base, 15, 40, noHistory, 20, 'TooManyReplicas'],
    ['not below the minimum', base, 5, 1, noHistory, 2, 'TooFewReplicas'],
    [
      'takes the highest of the last five minutes',
      base,
      10,
      3,
      recommended([8, 100], [9, 400]),
      8,
      'DesiredWithinRange',
    ],
    [
      'the lowest of the window on the way up',
      behavior({ scaleUp: { stabilizationWindowSeconds: 60, ...rules(['Percent', 100, 15]) } }),
      4,
      8,
      recommended([6, 30]),
      6,
      'DesiredWithinRange',
    ],
    ['so many pods a period', behavior({ scaleUp: rules(['Pods', 3, 60]) }), 4, 12, noHistory, 7, 'ScaleUpLimit'],
    [
      'counted from the start of the period',
      behavior({ scaleUp: rules(['Pods', 3, 60]) }),
      6,
      12,
      { ...noHistory, ups: [{ change: 2, at: now - 30 * second }] },
      7,
      'ScaleUpLimit',
    ],
    [
      'the policy that allows more',
      behavior({ scaleUp: rules(['Pods', 3, 60], ['Percent', 100, 60]) }),
      8,
      20,
      noHistory,
      16,
      'ScaleUpLimit',
    ],
    [
      'or less, if requested',
      behavior({ scaleUp: { ...rules(['Pods', 3, 60], ['Percent', 100, 60]), selectPolicy: 'Min' } }),
      8,
      20,
      noHistory,
      11,
      'ScaleUpLimit',
    ],
    [
      'or not at all',
      behavior({ scaleUp: { ...rules(['Pods', 3, 60]), selectPolicy: 'Disabled' } }),
      8,
      20,
      noHistory,
      8,
      'ScaleUpLimit',
    ],
    [
      'down by percent',
      behavior({ scaleDown: { stabilizationWindowSeconds: 0, ...rules(['Percent', 10, 60]) } }),
      15,
      3,
      noHistory,
      13,
      'ScaleDownLimit',
    ],
    [
      'down to the minimum',
      behavior({ scaleDown: { stabilizationWindowSeconds: 0, ...rules(['Percent', 100, 60]) } }),
      15,
      1,
      noHistory,
      2,
      'TooFewReplicas',
    ],
  ])('%s', (_name, spec, current, desired, history, replicas, reason) => {
    const limited = limitScaling({ spec, current, desired, history, now, downscaleMs });
    expect({ replicas: limited.replicas, reason: limited.limit.reason }).toEqual({ replicas, reason });
  });

  test('recommendations count within the window', () => {
    const spec = behavior({ scaleUp: rules(['Pods', 1, 60]), scaleDown: { stabilizationWindowSeconds: 120 } });
    const before = { ...recommended([3, 100], [9, 130]), ups: [{ change: 1, at: now - 30 * second }] };
    expect(rememberRecommendation(before, { spec, desired: 6, now, downscaleMs })).toEqual({
      recommendations: [
        { replicas: 3, at: now - 100 * second },
        { replicas: 6, at: now },
      ],
      ups: before.ups,
      downs: [],
    });
  });

  test('rescales are kept for the longest period of the policies', () => {
    const spec = behavior({ scaleUp: rules(['Pods', 1, 60]), scaleDown: rules(['Pods', 1, 30], ['Percent', 5, 90]) });
    const old = { change: 1, at: now - 61 * second };
    const before: ScalingHistory = { ...recommended([3, 100]), ups: [old], downs: [old] };
    const up = rememberRescale(before, { spec, current: 4, result: 6, now });
    expect(up).toEqual({ ...before, ups: [{ change: 2, at: now }] });
    const down = rememberRescale(before, { spec, current: 6, result: 3, now });
    expect(down).toEqual({ ...before, ups: [], downs: [old, { change: 3, at: now }] });
  });

  test('rescales are not kept for an autoscaler without policies', () => {
    expect(rememberRescale(noHistory, { spec: base, current: 4, result: 6, now })).toEqual(noHistory);
  });
});
