import type { Pod } from '@coracle/api';
import { formatTime } from '@coracle/apimachinery';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rankActivePods, rankForDeletion } from './rank-pods.js';

const now = Date.UTC(2026, 0, 10);
const ago = (seconds: number) => formatTime(now - seconds * 1000);

interface Parts {
  readonly node?: string;
  readonly phase?: string;
  readonly readyFor?: number;
  readonly cost?: string;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
  readonly age?: number;
}

function pod(
  uid: string,
  { node = 'a', phase = 'Running', readyFor, cost, restarts, sidecarRestarts, age }: Parts,
): Pod {
  return {
    metadata: {
      uid,
      name: uid,
      ...(age !== undefined && { creationTimestamp: ago(age) }),
      ...(cost !== undefined && { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
    },
    spec: {
      containers: [],
      initContainers: [{ name: 'side', restartPolicy: 'Always' }],
      ...(node && { nodeName: node }),
    },
    status: {
      phase,
      conditions: readyFor === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: ago(readyFor) }],
      containerStatuses: [{ name: 'c', restartCount: restarts ?? 0, image: '', imageID: '', ready: true }],
      initContainerStatuses: [
        { name: 'side', restartCount: sidecarRestarts ?? 0, image: '', imageID: '', ready: true },
      ],
    },
  };
}

describe('RS-29 which pod is deleted first', () => {
  const cases: { name: string; first: Parts; last: Parts }[] = [
    { name: 'the one without a node', first: { node: '' }, last: { phase: 'Pending' } },
    { name: 'the pending one', first: { phase: 'Pending' }, last: { phase: 'Unknown' } },
    { name: 'the unknown one before the running one', first: { phase: 'Unknown' }, last: { phase: 'Running' } },
    { name: 'the one that is not ready', first: { cost: '5' }, last: { readyFor: 1, cost: '1' } },
    { name: 'the cheaper one', first: { cost: '-1', readyFor: 1000 }, last: { readyFor: 1 } },
    {
      name: 'a cost that is no number counts nothing',
      first: { cost: '-1', readyFor: 9 },
      last: { cost: 'x', readyFor: 1 },
    },
    {
      name: 'nor does one that 32 bits do not hold',
      first: { cost: '-1', readyFor: 9 },
      last: { cost: '-99999999999', readyFor: 1 },
    },
    {
      name: 'nor one that is not written plainly',
      first: { cost: '-1', readyFor: 9 },
      last: { cost: '+0', readyFor: 1 },
    },
    { name: 'the one with more neighbours', first: { node: 'crowded', readyFor: 1000 }, last: { readyFor: 1 } },
    { name: 'the one that became ready later', first: { readyFor: 10 }, last: { readyFor: 1000, restarts: 5 } },
    {
      name: 'the more often restarted one',
      first: { readyFor: 10, restarts: 3, age: 1000 },
      last: { readyFor: 10, age: 1 },
    },
    { name: 'the one whose sidecar restarted more often', first: { sidecarRestarts: 2, age: 1000 }, last: { age: 1 } },
    { name: 'the younger one', first: { age: 10 }, last: { age: 1000 } },
  ];

  test.each(cases)('$name', ({ first, last }) => {
    // By uid the other one comes first.
    const pods = [pod('b', first), pod('a', last)];
    const neighbours = ({ spec }: Pod) => (spec?.nodeName === 'crowded' ? 3 : 1);

    expect(rankForDeletion(pods, { now, neighbours }).map(({ metadata }) => metadata.uid)).toEqual(['b', 'a']);
    expect(rankForDeletion(pods.reverse(), { now, neighbours }).map(({ metadata }) => metadata.uid)).toEqual([
      'b',
      'a',
    ]);
  });

  test('among those of about the same age, the uid decides', () => {
    // 3 s and 4 s are 2^31.5 and 2^31.9 nanoseconds, 5 s is 2^32.2.
    const order = (first: number, second: number) =>
      rankForDeletion([pod('b', { readyFor: first }), pod('a', { readyFor: second })], {
        now,
        neighbours: () => 1,
      }).map(({ metadata }) => metadata.uid);

    expect([order(3, 4), order(4, 5)]).toEqual([
      ['a', 'b'],
      ['b', 'a'],
    ]);
  });

  test('no pod is lost or duplicated, and the input is unchanged', () => {
    const parts = fc.record({
      readyFor: fc.option(fc.nat(100), { nil: undefined }),
      restarts: fc.nat(3),
      age: fc.nat(100),
    });
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 8 }), (all) => {
        const pods = all.map((one, index) => pod(String(index), one as Parts));
        const before = [...pods];
        const ranked = rankForDeletion(pods, { now, neighbours: () => 1 });

        expect(new Set(ranked)).toEqual(new Set(pods));
        expect(pods).toEqual(before);
      }),
    );
  });
});

describe('rankActivePods', () => {
  const names = (...pods: readonly Pod[]) => rankActivePods(pods).map(({ metadata }) => metadata.name);

  test.each([
    ['the one without a node', { readyFor: 9 }, { node: '', readyFor: 9 }],
    ['the pending one', { readyFor: 9 }, { phase: 'Pending' }],
    ['the one that is not ready', { readyFor: 9 }, {}],
    ['the one that became ready last, whatever it costs', { readyFor: 1000, cost: '-5' }, { readyFor: 999 }],
    ['the one restarted more often', { readyFor: 9 }, { readyFor: 9, restarts: 1 }],
    ['the younger one', { readyFor: 9, age: 1000 }, { readyFor: 9, age: 999 }],
  ])('puts %s first', (_name, second, first) => {
    expect(names(pod('a', second), pod('b', first))).toEqual(['b', 'a']);
    expect(names(pod('b', first), pod('a', second))).toEqual(['b', 'a']);
  });
});
