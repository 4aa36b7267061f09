import { describe, expect, test } from 'vitest';
import { makeNode, makeNodeInfo } from '../../builders.fixture.js';
import { AllocatedDevices } from './allocated-devices.js';
import type { RequestKind } from './claim-requests.js';
import { AnswerBases, NodeAnswer } from './node-answer.js';

const kind: RequestKind = { key: 'one' };
const allocationFrom = (pool: string) => ({
  devices: { results: [{ request: 'r', driver: 'd', pool, device: 'a0' }] },
});

/** A node whose devices are in these pools, with cached results. */
function answered(canFill: boolean, pools: readonly string[]) {
  const use = new AllocatedDevices();
  const bases = new AnswerBases();
  const node = makeNodeInfo('n1');
  const basis = bases.of(kind, { version: 1, use });
  const changes = pools.map((pool) => use.changesOf(`d/${pool}`));
  node.devices = new NodeAnswer(basis, { canFill, use, changes, countThen: 0 });
  return { use, bases, node, basis };
}

describe('the cached answer for a node', () => {
  test.each([[['p']], [['p', 'q']], [['q', 'other', 'p']]])('is valid until devices change: pools %j', (pools) => {
    const yes = answered(true, pools);
    const no = answered(false, pools);
    const answers = () => [NodeAnswer.of(yes.node, yes.basis), NodeAnswer.of(no.node, no.basis)];
    expect(answers()).toEqual([true, false]);
    for (const { use } of [yes, no]) use.add(allocationFrom('elsewhere'));
    expect(answers()).toEqual([true, false]);
    for (const { use } of [yes, no]) use.add(allocationFrom('p'));
    expect(answers()).toEqual([undefined, false]);
    no.use.remove(allocationFrom('p'));
    expect(answers()).toEqual([undefined, undefined]);
  });

  test('of a node without devices stays valid', () => {
    const { use, node, basis } = answered(false, []);
    use.add(allocationFrom('p'));
    use.remove(allocationFrom('p'));
    expect(NodeAnswer.of(node, basis)).toBe(false);
  });

  test('is for requests of one class, and for the slices at that time', () => {
    const { use, bases, node, basis } = answered(true, ['p']);
    expect(NodeAnswer.of(node, bases.of(kind, { version: 1, use }))).toBe(true);
    expect(NodeAnswer.of(node, bases.of({ key: 'other' }, { version: 1, use }))).toBeUndefined();
    expect(NodeAnswer.of(node, bases.of(kind, { version: 2, use }))).toBeUndefined();
    expect(NodeAnswer.of(node, basis)).toBe(true);
  });

  test('is dropped when the node changes, and not copied', () => {
    const { node, basis } = answered(true, ['p']);
    expect(NodeAnswer.of(node.clone(), basis)).toBeUndefined();
    node.setNode(makeNode('n1', { labels: { disk: 'ssd' } }));
    expect(NodeAnswer.of(node, basis)).toBeUndefined();
  });
});
