import type { Deployment, ReplicaSet } from '@coracle/api';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { templateHash } from '../template-hash/template-hash.js';
import { newReplicaSetAnnotations } from './annotations.js';
import { planCleanup } from './history.js';
import { anyStillRunning, planScaleDown, planScaleUp } from './plan-recreate.js';
import { planRolling } from './plan-rolling.js';
import { isScalingEvent, planScaling } from './plan-scaling.js';
import { rolloutBounds } from './rollout-math.js';
import { sameTemplate } from './same-template.js';

type Bound = number | string;

function deployment(
  replicas: number,
  maxSurge: Bound = '25%',
  maxUnavailable: Bound = '25%',
  more: object = {},
): Deployment {
  return {
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: {},
      template: {},
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
      ...more,
    },
  } as Deployment;
}

interface Size {
  readonly replicas: number;
  readonly available?: number;
  readonly desired?: number;
  readonly max?: number;
  readonly created?: string;
}

function replicaSet(name: string, { replicas, available = replicas, desired, max, created }: Size): ReplicaSet {
  return {
    metadata: {
      name,
      ...(created && { creationTimestamp: created }),
      annotations: {
        ...(desired !== undefined && { 'deployment.kubernetes.io/desired-replicas': String(desired) }),
        ...(max !== undefined && { 'deployment.kubernetes.io/max-replicas': String(max) }),
      },
    },
    spec: { replicas, selector: {} },
    status: { replicas, availableReplicas: available },
  } as ReplicaSet;
}

function steps(plan: readonly { replicaSet: ReplicaSet; to: number }[]): Record<string, number> {
  return Object.fromEntries(plan.map(({ replicaSet: { metadata }, to }) => [metadata.name ?? '', to]));
}

describe('DEP-46 bounds of a rolling update', () => {
  test.each([
    { name: 'surge rounds up, unavailability down', of: deployment(10), bounds: { maxSurge: 3, maxUnavailable: 2 } },
    { name: 'numbers stay', of: deployment(10, 4, 1), bounds: { maxSurge: 4, maxUnavailable: 1 } },
    {
      name: 'if both come to nothing, one pod may be missing',
      of: deployment(3, 0, '10%'),
      bounds: { maxSurge: 0, maxUnavailable: 1 },
    },
    {
      name: 'no more can be missing than are wanted',
      of: deployment(2, 0, 5),
      bounds: { maxSurge: 0, maxUnavailable: 2 },
    },
    {
      name: 'a recreation has none',
      of: deployment(5, 1, 1, { strategy: { type: 'Recreate' } }),
      bounds: { maxSurge: 0, maxUnavailable: 0 },
    },
  ])('$name', ({ of, bounds }) => {
    expect(rolloutBounds(of)).toEqual(bounds);
  });
});

describe('DEP-42 one step of a rolling update', () => {
  const cases: { name: string; of: Deployment; current: Size; old: Size[]; plan: Record<string, number> }[] = [
    {
      name: 'up first, as far as the surge allows',
      of: deployment(4),
      current: { replicas: 0 },
      old: [{ replicas: 4 }],
      plan: { current: 1 },
    },
    {
      name: 'then down, as far as enough stay available',
      of: deployment(4),
      current: { replicas: 1, available: 0 },
      old: [{ replicas: 4 }],
      plan: { old0: 3 },
    },
    {
      name: 'nothing while neither can move',
      of: deployment(4),
      current: { replicas: 2, available: 0 },
      old: [{ replicas: 3 }],
      plan: {},
    },
    {
      name: 'old pods that are not available go first, of the oldest first',
      of: deployment(10, 0, 2),
      current: { replicas: 0 },
      old: [
        { replicas: 5, available: 5, created: '2026-01-01T00:00:00Z' },
        { replicas: 5, available: 3, created: '2026-01-02T00:00:00Z' },
      ],
      plan: { old1: 3 },
    },
    {
      name: 'too many of the new revision go at once',
      of: deployment(3),
      current: { replicas: 5 },
      old: [{ replicas: 2 }],
      plan: { current: 3 },
    },
    { name: 'nothing when it is done', of: deployment(3), current: { replicas: 3 }, old: [{ replicas: 0 }], plan: {} },
    { name: 'down to none', of: deployment(0), current: { replicas: 2 }, old: [], plan: { current: 0 } },
  ];

  test.each(cases)('$name', ({ of, current, old, plan }) => {
    const view = {
      deployment: of,
      current: replicaSet('current', current),
      old: old.map((size, index) => replicaSet(`old${index}`, size)),
    };

    expect(steps(planRolling(view))).toEqual(plan);
  });

  test('an old replica set loses pods that are not available in a step of its own', () => {
    const view = {
      deployment: deployment(5, '20%', '60%'),
      current: replicaSet('current', { replicas: 1, available: 1 }),
      old: [replicaSet('old0', { replicas: 5, available: 3 })],
    };
    expect(planRolling(view).map(({ replicaSet: { metadata }, to }) => [metadata.name, to])).toEqual([
      ['old0', 3],
      ['old0', 1],
    ]);
  });

  test('DEP-43 DEP-45 for any sizes and bounds a rollout stays within the bounds at every step, and completes', () => {
    const bound = fc.oneof(
      fc.nat(12),
      fc.nat(100).map((percent) => `${percent}%`),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        bound,
        bound,
        fc.array(fc.nat(20), { maxLength: 3 }),
        (desired, surge, unavailable, others) => {
          const of = deployment(desired, surge, unavailable);
          const { maxSurge, maxUnavailable } = rolloutBounds(of);
          // The last old revision was complete; the others are left over from interrupted rollouts, within the bounds.
          const sizes = [desired, ...others.map(() => 0)];
          let spare = maxSurge;
          others.forEach((size, index) => {
            sizes[index + 1] = Math.min(size, spare);
            spare -= sizes[index + 1] as number;
          });
          let current = replicaSet('current', { replicas: 0 });
          let old = sizes.map((replicas, index) => replicaSet(`old${index}`, { replicas }));
          for (let step = 0; step < 500; step++) {
            const plan = steps(planRolling({ deployment: of, current, old }));
            const apply = (one: ReplicaSet, available: (to: number, was: number) => number) => {
              const to = plan[one.metadata.name ?? ''] ?? one.spec?.replicas ?? 0;
              return replicaSet(one.metadata.name ?? '', {
                replicas: to,
                available: available(to, one.status?.availableReplicas ?? 0),
              });
            };
            // Pods are deleted at once and become available late: one more of the new revision whenever nothing else
            // changes.
            const idle = Object.keys(plan).length === 0;
            current = apply(current, (to, was) => Math.min(to, idle ? was + 1 : was));
            old = old.map((one) => apply(one, Math.min));
            const all = [current, ...old];
            const total = all.reduce((sum, { spec }) => sum + (spec?.replicas ?? 0), 0);
            const available = all.reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0);
            expect(total).toBeLessThanOrEqual(desired + maxSurge);
            expect(available).toBeGreaterThanOrEqual(desired - maxUnavailable);
            if (available === desired && current.status?.availableReplicas === desired && total === desired) return;
          }
          throw new Error('it never ends');
        },
      ),
    );
  });
});

describe('DEP-40 recreation', () => {
  test('all old pods are deleted, then all new ones are created', () => {
    const old = [replicaSet('a', { replicas: 3 }), replicaSet('b', { replicas: 0 })];
    const of = deployment(4, 0, 0, { strategy: { type: 'Recreate' } });

    expect([
      steps(planScaleDown(old)),
      steps(planScaleUp({ deployment: of, current: replicaSet('c', { replicas: 0 }) })),
    ]).toEqual([{ a: 0 }, { c: 4 }]);
  });

  test.each([
    ['Running', true],
    ['Unknown', true],
    ['Pending', true],
    ['Succeeded', false],
    ['Failed', false],
  ])('DEP-41 an old pod that is %s: %s', (phase, running) => {
    expect(anyStillRunning([{ metadata: {}, status: { phase } }])).toBe(running);
  });
});

describe('scaling', () => {
  const cases: { name: string; of: Deployment; current?: Size; old: Size[]; plan: Record<string, number> }[] = [
    {
      name: 'DEP-34 the only one with pods',
      of: deployment(5),
      current: { replicas: 3 },
      old: [{ replicas: 0 }],
      plan: { current: 5 },
    },
    {
      name: 'DEP-34 the newest if none has any',
      of: deployment(5),
      current: { replicas: 0 },
      old: [{ replicas: 0 }],
      plan: { current: 5 },
    },
    {
      name: 'DEP-34 the youngest old one if there is no new one',
      of: deployment(5),
      old: [
        { replicas: 0, created: '2026-01-02T00:00:00Z' },
        { replicas: 0, created: '2026-01-01T00:00:00Z' },
      ],
      plan: { old0: 5 },
    },
    {
      name: 'DEP-35 once the new one is all that is wanted, the others go',
      of: deployment(5),
      current: { replicas: 5, desired: 5 },
      old: [{ replicas: 2, desired: 5 }],
      plan: { old0: 0 },
    },
    {
      name: 'DEP-36 10 → 15 in the middle of a rollout: each gets its share (the example of the documentation)',
      of: deployment(15, 3, 2),
      current: { replicas: 5, available: 0, desired: 10, max: 13, created: '2026-01-02T00:00:00Z' },
      old: [{ replicas: 8, desired: 10, max: 13, created: '2026-01-01T00:00:00Z' }],
      plan: { old0: 11, current: 7 },
    },
    {
      name: 'DEP-36 down again',
      of: deployment(10, 3, 2),
      current: { replicas: 7, available: 0, desired: 15, max: 18 },
      old: [{ replicas: 11, desired: 15, max: 18 }],
      plan: { old0: 8, current: 5 },
    },
    {
      name: 'DEP-36 down to none',
      of: deployment(0, 3, 2),
      current: { replicas: 5, available: 0, desired: 10, max: 13 },
      old: [{ replicas: 8, desired: 10, max: 13 }],
      plan: { old0: 0, current: 0 },
    },
    {
      name: 'DEP-36 what rounding leaves goes to the largest',
      of: deployment(6, 0, 1),
      current: { replicas: 2, available: 0, desired: 5, max: 5 },
      old: [
        { replicas: 2, desired: 5, max: 5, created: '2026-01-01T00:00:00Z' },
        { replicas: 1, desired: 5, max: 5 },
      ],
      plan: { current: 2, old0: 3, old1: 1 },
    },
    {
      name: 'DEP-38 a recreation leaves several as they are',
      of: deployment(5, 0, 0, { strategy: { type: 'Recreate' } }),
      current: { replicas: 1, available: 0, desired: 3 },
      old: [{ replicas: 2, desired: 3 }],
      plan: {},
    },
  ];

  test.each(cases)('$name', ({ of, current, old, plan }) => {
    const view = {
      deployment: of,
      current: current && replicaSet('current', current),
      old: old.map((size, index) => replicaSet(`old${index}`, size)),
    };

    expect(steps(planScaling(view))).toEqual(plan);
  });

  test('DEP-36 the new total is the desired number and the surge, whatever the sizes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.nat(5),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 2, maxLength: 4 }),
        (desired, surge, sizes) => {
          const total = sizes.reduce((a, b) => a + b, 0);
          const [first = 0, ...others] = sizes;
          const view = {
            deployment: deployment(desired, surge, 0),
            current: replicaSet('current', { replicas: first, available: 0, desired: total, max: total }),
            old: others.map((replicas, index) => replicaSet(`old${index}`, { replicas, desired: total, max: total })),
          };
          const plan = steps(planScaling(view));
          const after = [view.current, ...view.old].map(
            ({ metadata, spec }) => plan[metadata.name ?? ''] ?? spec?.replicas ?? 0,
          );

          expect(after.every((size) => size >= 0)).toBe(true);
          expect(after.reduce((a, b) => a + b, 0)).toBe(desired + surge);
        },
      ),
    );
  });

  test.each([
    { name: 'the wanted number has changed', size: { replicas: 3, desired: 3 }, scaling: true },
    { name: 'it has not', size: { replicas: 3, desired: 5 }, scaling: false },
    { name: 'nothing is known of it', size: { replicas: 3 }, scaling: false },
    { name: 'the replica set has no pods', size: { replicas: 0, desired: 3 }, scaling: false },
  ])('DEP-32 a scaling event: $name', ({ size, scaling }) => {
    expect(isScalingEvent({ deployment: deployment(5), current: replicaSet('c', size), old: [] })).toBe(scaling);
  });

  test.each(['many', '', '3.5', '99999999999'])('DEP-32 "%s" in the annotation counts as nothing', (text) => {
    const current = replicaSet('c', { replicas: 3 });
    const annotations = { 'deployment.kubernetes.io/desired-replicas': text };
    const annotated = { ...current, metadata: { ...current.metadata, annotations } };
    expect(isScalingEvent({ deployment: deployment(5), current: annotated, old: [] })).toBe(false);
  });
});

describe('DEP-47 history', () => {
  const old = (revision: number, more: Partial<ReplicaSet> = {}): ReplicaSet => {
    const base = replicaSet(`r${revision}`, { replicas: 0 });
    return {
      ...base,
      metadata: { ...base.metadata, annotations: { 'deployment.kubernetes.io/revision': String(revision) } },
      ...more,
    };
  };
  const limited = (revisionHistoryLimit: number) => deployment(1, 1, 1, { revisionHistoryLimit });

  test.each([
    {
      name: 'the oldest revisions beyond the limit go',
      limit: 2,
      sets: [old(4), old(1), old(3), old(2)],
      gone: ['r1', 'r2'],
    },
    { name: 'none while there are few', limit: 5, sets: [old(1)], gone: [] },
    { name: 'all with a limit of none', limit: 0, sets: [old(10), old(9)], gone: ['r9', 'r10'] },
    {
      name: 'those with pods stay, and none goes in their stead',
      limit: 1,
      sets: [old(1, { status: { replicas: 1 } }), old(2)],
      gone: [],
    },
  ])('$name', ({ limit, sets, gone }) => {
    expect(planCleanup(limited(limit), sets).map(({ metadata }) => metadata.name)).toEqual(gone);
  });
});

describe('DEP-21 annotations of the newest replica set', () => {
  const named = (annotations: Record<string, string>) => ({ ...deployment(1), metadata: { name: 'web', annotations } });

  test('are passed on, except for the deployment’s own', () => {
    const of = named({
      team: 'a',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'deployment.kubernetes.io/revision': '7',
    });

    expect(newReplicaSetAnnotations(of, undefined, 3n)).toEqual({
      team: 'a',
      'deployment.kubernetes.io/revision': '3',
    });
  });

  test('remember earlier revisions after a rollback', () => {
    const again = replicaSet('r', { replicas: 0 });
    again.metadata.annotations = {
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/revision-history': '1',
    };

    expect(newReplicaSetAnnotations(deployment(1), again, 5n)).toEqual({
      'deployment.kubernetes.io/revision': '5',
      'deployment.kubernetes.io/revision-history': '1,3',
    });
  });

  test('never count backwards', () => {
    const newest = replicaSet('r', { replicas: 0 });
    newest.metadata.annotations = { 'deployment.kubernetes.io/revision': '9' };

    expect(newReplicaSetAnnotations(deployment(1), newest, 4n)).toEqual({ 'deployment.kubernetes.io/revision': '9' });
  });
});

describe('DEP-22 the hash of a template', () => {
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'a' }] } };

  test('is independent of the order of fields, and has no letters that form words', () => {
    const turned = { spec: { containers: [{ image: 'a', name: 'c' }] }, metadata: { labels: { app: 'web' } } };

    expect(templateHash(turned, undefined)).toBe(templateHash(template, undefined));
    expect(templateHash(template, undefined)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
  });

  test('differs after a collision', () => {
    expect(new Set([undefined, 1, 2].map((count) => templateHash(template, count))).size).toBe(3);
  });

  test('DEP-7 the label that carries it is no part of the template', () => {
    const labelled = { ...template, metadata: { labels: { app: 'web', 'pod-template-hash': 'x' } } };
    const of = deployment(1, 1, 1, { template });
    const current = { ...replicaSet('r', { replicas: 1 }), spec: { selector: {}, template: labelled } } as ReplicaSet;

    expect([sameTemplate(of, current), sameTemplate(deployment(1, 1, 1, { template: {} }), current)]).toEqual([
      true,
      false,
    ]);
  });
});
