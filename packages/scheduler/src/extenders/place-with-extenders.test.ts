import { silentLogger } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { makeNodeInfo, makePodInfo } from '../builders.fixture.js';
import type { NodeInfo } from '../cache/node-info.js';
import { describeFailure } from '../fit-error.js';
import { makeProfile } from '../framework/profile.fixture.js';
import { nodeUnschedulable } from '../plugins/node-unschedulable.js';
import { prioritySort } from '../plugins/priority-sort.js';
import type { CycleInput } from '../scheduling-cycle.js';
import type { Extender } from './extender.js';
import { placePodWithExtenders } from './place-with-extenders.js';

/** Adds a small score to node `b`. */
const scoring = {
  name: 'Scoring',
  score: (_state: unknown, _pod: unknown, { name }: NodeInfo) => (name === 'b' ? 50 : 0),
};
const profile = makeProfile([prioritySort, nodeUnschedulable, scoring].map((plugin) => ({ plugin })));
const nodes = [...'abc'].map((name) => makeNodeInfo(name));

const extender = (parts: Partial<Extender>): Extender => ({
  name: 'http://extender',
  isIgnorable: false,
  isInterested: () => true,
  ...parts,
});
const without = (reasons: Record<string, string>, kind: 'failed' | 'unresolvable' = 'failed') =>
  extender({
    filter: async (_pod, candidates) => ({
      feasible: candidates.filter(({ name }) => !(name in reasons)),
      failed: {},
      unresolvable: {},
      [kind]: reasons,
    }),
  });
const failing = (parts: Partial<Extender> = {}) => {
  const fail = () => Promise.reject(new Error('no answer'));
  return extender({ filter: fail, prioritize: fail, ...parts });
};
const liking = (name: string, score: number) => extender({ prioritize: async () => new Map([[name, score]]) });

async function place(extenders: readonly Extender[], more: Partial<CycleInput> = {}) {
  const input = { profile, nodes, startAt: 0, extenders, logger: silentLogger, ...more };
  const placement = await placePodWithExtenders(makePodInfo('p'), input);
  if (placement.kind === 'placed') return placement.node.name;
  const { failure } = placement;
  const kinds = [...failure.failures].map(([name, { kind }]) => `${name} ${kind}`);
  return { message: describeFailure(failure), refusedBy: [...failure.refusedBy].sort(), kinds };
}

describe('SCH-95 extenders filter after the plugins', () => {
  test('the best of the remaining nodes is chosen', async () => {
    expect(await place([without({ b: 'no' }), without({ a: 'no' })])).toBe('c');
  });

  test('nodes that plugins refuse are not shown to them', async () => {
    const shown: string[] = [];
    const looking = extender({
      filter: async (_pod, feasible) => {
        shown.push(feasible.map(({ name }) => name).join());
        return { feasible, failed: {}, unresolvable: {} };
      },
    });
    await place([without({ b: 'no' }), looking], { nodes: [...nodes, makeNodeInfo('d', { unschedulable: true })] });
    expect(shown).toEqual(['a,c']);
  });

  test('a pod that they reject on all nodes has their reasons in its status, and is requeued by any event', async () => {
    const all = [without({ a: 'too old', b: 'too old' }), without({ c: 'gone' }, 'unresolvable'), failing()];
    expect(await place(all)).toEqual({
      message: '0/3 nodes are available: 1 gone, 2 too old.',
      refusedBy: ['Extender'],
      kinds: ['a unschedulable', 'b unschedulable', 'c unschedulable-and-unresolvable'],
    });
  });

  test('an extender that fails fails the attempt, unless it is ignorable', async () => {
    await expect(place([failing()])).rejects.toThrow('no answer');
    expect(await place([failing({ isIgnorable: true })])).toBe('b');
  });

  test('they must accept the nominated node, and are called for all nodes otherwise', async () => {
    expect(await place([], { nominatedNode: 'c' })).toBe('c');
    expect(await place([without({ c: 'no' })], { nominatedNode: 'c' })).toBe('b');
    await expect(place([failing()], { nominatedNode: 'c' })).rejects.toThrow('no answer');
  });
});

describe('SCH-97 scores of extenders are added', () => {
  test.each<[string, Extender[], string]>([
    ['nothing changes little', [liking('a', 40)], 'b'],
    ['together they may outweigh plugins', [liking('a', 40), liking('a', 20)], 'a'],
    ['one that fails adds nothing', [extender({ prioritize: () => Promise.reject(new Error('no')) })], 'b'],
  ])('%s', async (_, extenders, node) => {
    expect(await place(extenders)).toBe(node);
  });
});
