import { silentLogger } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { makePodInfo } from '../builders.fixture.js';
import type { Victims } from '../framework/victims.js';
import type { Extender } from './extender.js';
import { narrowCandidates } from './preempt-with-extenders.js';

const pod = makePodInfo('p').pod;
const candidates: Victims[] = [...'ab'].map((node) => ({ node, pods: [makePodInfo(`on-${node}`)], violations: 0 }));

const extender = (preempt: Extender['preempt'], parts: Partial<Extender> = {}): Extender => ({
  name: 'http://extender',
  isIgnorable: false,
  isInterested: () => true,
  ...(preempt && { preempt }),
  ...parts,
});
const failing = () => Promise.reject(new Error('no answer'));
const only = (node: string) => extender(async (_pod, victims) => victims.filter((one) => one.node === node));
const withoutVictims: Extender['preempt'] = async (_pod, victims) => victims.map((one) => ({ ...one, pods: [] }));

async function left(...extenders: Extender[]): Promise<string[]> {
  const found = await narrowCandidates(pod, candidates, { extenders, podsOn: () => [], logger: silentLogger });
  return found.map(({ node }) => node);
}

describe('SCH-103 extenders may leave out candidates for preemption', () => {
  test.each<[string, Extender[], string[]]>([
    ['none is asked', [], ['a', 'b']],
    ['one that has no say', [extender(undefined)], ['a', 'b']],
    ['one that is not interested', [extender(failing, { isInterested: () => false })], ['a', 'b']],
    ['each is asked about what is left', [only('a'), extender(async (_pod, victims) => victims)], ['a']],
    ['no extender is called without candidates', [only('a'), only('b'), extender(failing)], []],
    ['one that may be ignored and fails', [extender(failing, { isIgnorable: true }), only('b')], ['b']],
    ['one that may be ignored and names no victims', [extender(withoutVictims, { isIgnorable: true })], []],
  ])('%s', async (_, extenders, nodes) => {
    expect(await left(...extenders)).toEqual(nodes);
  });

  test.each<[string, Extender['preempt'], string]>([
    ['it fails', failing, 'no answer'],
    ['it names no victims', withoutVictims, 'expected at least one victim pod on node "a"'],
  ])('preemption ends if %s', async (_, preempt, message) => {
    await expect(left(extender(preempt))).rejects.toThrow(message);
  });
});
