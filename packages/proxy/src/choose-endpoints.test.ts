import { expect, test } from 'vitest';
import { chooseEndpoints } from './choose-endpoints.js';
import type { Endpoint } from './endpoint.js';

const topology = { nodeName: 'here', zone: 'z1' };
const anywhere = { internalLocal: false, externalLocal: false };
const local = { internalLocal: false, externalLocal: true };

function endpoint(address: string, more: Partial<Endpoint> = {}): Endpoint {
  const base = { port: 80, ready: true, serving: true, terminating: false, nodeName: 'there', zones: [], nodes: [] };
  return { address, ...base, ...more };
}
const ready = endpoint('ready');
const unready = endpoint('unready', { ready: false, serving: false });
const ending = endpoint('ending', { ready: false, terminating: true });
const ended = endpoint('ended', { ready: false, serving: false, terminating: true });
const own = { nodeName: 'here' };

test.each([
  ['ready ones alone', [ready, unready, ending], anywhere, ['ready'], [], true],
  ['those that terminate and serve, without a ready one', [unready, ending, ended], anywhere, ['ending'], [], true],
  ['none', [unready, ended], anywhere, [], [], false],
  ['local ones', [ready, endpoint('mine', own)], local, ['ready', 'mine'], ['mine'], true],
  ['no local ones', [ready], local, ['ready'], [], true],
  ['local ones that terminate', [ready, { ...ending, ...own }], local, ['ready'], ['ending'], true],
  ['the zone', [endpoint('a', { zones: ['z1'] }), endpoint('b', { zones: ['z2'] })], anywhere, ['a'], [], true],
  ['all, if one has no hint', [endpoint('a', { zones: ['z1'] }), endpoint('b')], anywhere, ['a', 'b'], [], true],
  ['all, if none is for the zone', [endpoint('b', { zones: ['z2'] })], anywhere, ['b'], [], true],
  [
    'the node before the zone',
    [endpoint('a', { zones: ['z1'], nodes: ['here'] }), endpoint('b', { zones: ['z1'], nodes: ['x'] })],
    anywhere,
    ['a'],
    [],
    true,
  ],
  [
    'the zone, if none is for the node',
    [endpoint('a', { zones: ['z1'], nodes: ['y'] }), endpoint('b', { zones: ['z2'], nodes: ['x'] })],
    anywhere,
    ['a'],
    [],
    true,
  ],
])('%s', (_, endpoints, policy, cluster, locals, any) => {
  const chosen = chooseEndpoints(endpoints, policy, topology);
  expect(chosen.cluster.map(({ address }) => address)).toEqual(cluster);
  expect(chosen.local.map(({ address }) => address)).toEqual(locals);
  expect(chosen.any).toBe(any);
});
