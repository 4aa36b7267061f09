import type { Pod, PodDisruptionBudget, policyv1 } from '@coracle/api';
import { formatTime } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { computeBudget, deletionTimeoutMs } from './compute-budget.js';
import { staleAt } from './stale-targets.js';

const now = Date.UTC(2026, 0, 1);

function pod(name: string, { ready = true, going = false }: { ready?: boolean; going?: boolean } = {}): Pod {
  return {
    metadata: { name, ...(going && { deletionTimestamp: formatTime(now) }) },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

const ready = (count: number) => Array.from({ length: count }, (_, index) => pod(`p${index}`));

describe('computeBudget', () => {
  const cases: {
    name: string;
    spec: policyv1.PodDisruptionBudgetSpec;
    pods: Pod[];
    scale?: number;
    want: [expected: number, desired: number, healthy: number, allowed: number];
  }[] = [
    {
      name: 'keeps a fixed number of whatever pods there are',
      spec: { minAvailable: 2 },
      pods: ready(3),
      want: [3, 2, 3, 1],
    },
    {
      name: 'keeps a share of what the controllers want, rounded up',
      spec: { minAvailable: '50%' },
      pods: ready(4),
      scale: 5,
      want: [5, 3, 4, 1],
    },
    {
      name: 'lets a fixed number be missing of what the controllers want',
      spec: { maxUnavailable: 1 },
      pods: ready(5),
      scale: 5,
      want: [5, 4, 5, 1],
    },
    {
      name: 'lets a share be missing, rounded up',
      spec: { maxUnavailable: '30%' },
      pods: ready(5),
      scale: 5,
      want: [5, 3, 5, 2],
    },
    {
      name: 'lets none go when one is missing already',
      spec: { maxUnavailable: 1 },
      pods: ready(4),
      scale: 5,
      want: [5, 4, 4, 0],
    },
    { name: 'never allows less than nothing', spec: { minAvailable: 4 }, pods: ready(2), want: [2, 4, 2, 0] },
    {
      name: 'wants nothing of more unavailable than there are',
      spec: { maxUnavailable: 9 },
      pods: ready(2),
      scale: 2,
      want: [2, 0, 2, 2],
    },
    {
      name: 'does not count pods that are not ready',
      spec: { minAvailable: 1 },
      pods: [pod('a'), pod('b', { ready: false })],
      want: [2, 1, 1, 0],
    },
    {
      name: 'does not count pods being deleted',
      spec: { minAvailable: 1 },
      pods: [pod('a'), pod('b', { going: true })],
      want: [2, 1, 1, 0],
    },
    {
      name: 'takes no pod for evicted by its name',
      spec: { minAvailable: 1 },
      pods: [pod('constructor')],
      want: [1, 1, 1, 0],
    },
    { name: 'allows nothing where there is nothing', spec: { minAvailable: 0 }, pods: [], want: [0, 0, 0, 0] },
  ];

  test.each(cases)('$name', ({ spec, pods, scale = 0, want }) => {
    const budget: PodDisruptionBudget = { metadata: { generation: 3 }, spec };
    const { status } = computeBudget({ budget, pods, expectedScale: scale, now });

    const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed, observedGeneration } = status;
    expect([expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed]).toEqual(want);
    expect(observedGeneration).toBe(3);
    expect(status.conditions?.[0]).toMatchObject({
      type: 'DisruptionAllowed',
      status: want[3] > 0 ? 'True' : 'False',
      reason: want[3] > 0 ? 'SufficientPods' : 'InsufficientPods',
    });
  });

  const noted = (agoMs: number): PodDisruptionBudget => ({
    metadata: {},
    spec: { minAvailable: 1 },
    status: { disruptedPods: { p0: formatTime(now - agoMs), gone: formatTime(now) } },
  });

  test('counts pods that are about to be evicted as deleted, and schedules another sync', () => {
    const result = computeBudget({ budget: noted(1_000), pods: ready(2), expectedScale: 0, now });
    expect(result.status).toMatchObject({ currentHealthy: 1, disruptedPods: { p0: formatTime(now - 1_000) } });
    expect(result.recheckAt).toBe(now - 1_000 + deletionTimeoutMs);
  });

  test('counts pods that were not deleted within two minutes as staying', () => {
    const result = computeBudget({ budget: noted(deletionTimeoutMs), pods: ready(2), expectedScale: 0, now });
    expect(result.status).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
    expect(result.status.disruptedPods).toBeUndefined();
    expect(result.notDeleted).toEqual(['p0']);
  });
});

test('the condition DisruptionTarget is stale after two minutes, unless the pod is deleted', () => {
  const condition = { type: 'DisruptionTarget', status: 'True', lastTransitionTime: formatTime(now) };
  const marked: Pod = { metadata: {}, status: { conditions: [condition] } };
  expect(staleAt(marked, now)).toBe(now + deletionTimeoutMs);
  expect(staleAt({ ...marked, metadata: { deletionTimestamp: formatTime(now) } }, now)).toBeUndefined();
  expect(staleAt(pod('a'), now)).toBeUndefined();
});
