import type { Pod, PodDisruptionBudget, policyv1 } from '@coracle/api';
import { formatTime } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { evictionRefusal, isFreeOfBudget, needsNoBudget, withDisruption } from './eviction-rules.js';

const now = Date.UTC(2026, 0, 1);

function budget(
  status: policyv1.PodDisruptionBudgetStatus,
  spec: policyv1.PodDisruptionBudgetSpec = {},
): PodDisruptionBudget {
  return { metadata: { name: 'b', generation: 2 }, spec, status: { observedGeneration: 2, ...status } };
}

function pod(phase: string, ready = false): Pod {
  return { metadata: {}, status: { phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] } };
}

describe('RES-06 ERR-10 evictionRefusal', () => {
  const failed = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'SyncFailed',
    message: 'no scale',
    lastTransitionTime: formatTime(now),
  };
  const many = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`p${index}`, formatTime(now)]));
  const cases: {
    name: string;
    status: policyv1.PodDisruptionBudgetStatus;
    code: number | undefined;
    cause?: string;
    after?: number;
  }[] = [
    { name: 'is none while disruptions are allowed', status: { disruptionsAllowed: 1 }, code: undefined },
    {
      name: 'names the numbers',
      status: { desiredHealthy: 3, currentHealthy: 2 },
      code: 429,
      cause: 'The disruption budget b needs 3 healthy pods and has 2 currently',
    },
    {
      name: 'does not trust numbers after a failed sync',
      status: { conditions: [failed] },
      code: 429,
      cause: 'The disruption budget b does not allow evicting pods currently because it failed sync: no scale',
    },
    {
      name: 'says nothing of numbers that would do',
      status: { desiredHealthy: 1, currentHealthy: 2 },
      code: 429,
      cause: 'The disruption budget b does not allow evicting pods currently',
    },
    {
      name: 'answers 429 until the controller has seen the budget',
      status: { observedGeneration: 1, disruptionsAllowed: 1 },
      code: 429,
      cause: 'The disruption budget b is still being processed by the server.',
      after: 10,
    },
    {
      name: 'is for good when the number makes no sense',
      status: { disruptionsAllowed: -1 },
      code: 403,
      cause: 'The disruption budget b does not allow evicting pods currently: pdb disruptions allowed is negative',
    },
    {
      name: 'is for good when the controller does not keep up',
      status: { disruptionsAllowed: 1, disruptedPods: many },
      code: 403,
      cause:
        'The disruption budget b does not allow evicting pods currently: DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    },
  ];
  test.each(cases)('$name', ({ status, code, cause, after }) => {
    const refusal = evictionRefusal(budget(status))?.status;
    expect(refusal?.code).toBe(code);
    expect(refusal?.details?.causes?.[0]?.message).toBe(cause);
    expect(refusal?.details?.retryAfterSeconds).toBe(after);
  });
});

test('withDisruption decrements the budget, records the pod, and fails when none is left', () => {
  const { status } = withDisruption(budget({ disruptionsAllowed: 2 }), 'p', now);
  expect(status).toMatchObject({ disruptionsAllowed: 1, disruptedPods: { p: formatTime(now) } });
  expect(status?.conditions).toBeUndefined();

  const last = withDisruption(budget({ disruptionsAllowed: 1, disruptedPods: { o: formatTime(0) } }), 'p', now).status;
  expect(Object.keys(last?.disruptedPods ?? {})).toEqual(['o', 'p']);
  expect(last?.conditions?.[0]).toMatchObject({ status: 'False', reason: 'InsufficientPods' });
});

test.each([
  ['Pending', true],
  ['Succeeded', true],
  ['Failed', true],
  ['Running', false],
])('a pod that is %s needs no budget: %s', (phase, free) => {
  expect(needsNoBudget(pod(phase))).toBe(free);
});

describe('isFreeOfBudget', () => {
  const cases: {
    name: string;
    pod: Pod;
    status: policyv1.PodDisruptionBudgetStatus;
    policy?: string;
    free: boolean;
  }[] = [
    {
      name: 'guards healthy pods',
      pod: pod('Running', true),
      status: { currentHealthy: 5, desiredHealthy: 1 },
      policy: 'AlwaysAllow',
      free: false,
    },
    {
      name: 'lets unhealthy ones go when there is enough',
      pod: pod('Running'),
      status: { currentHealthy: 2, desiredHealthy: 2 },
      free: true,
    },
    {
      name: 'holds them when there is not',
      pod: pod('Running'),
      status: { currentHealthy: 1, desiredHealthy: 2 },
      free: false,
    },
    {
      name: 'holds them when nothing is wanted, which may mean that nothing is known',
      pod: pod('Running'),
      status: {},
      free: false,
    },
    {
      name: 'lets them go always when asked to',
      pod: pod('Running'),
      status: { currentHealthy: 0, desiredHealthy: 2 },
      policy: 'AlwaysAllow',
      free: true,
    },
  ];
  test.each(cases)('$name', ({ pod: subject, status, policy, free }) => {
    const spec = policy === undefined ? {} : { unhealthyPodEvictionPolicy: policy };
    expect(isFreeOfBudget(subject, budget(status, spec))).toBe(free);
  });
});
