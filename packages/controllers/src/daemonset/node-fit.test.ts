import type { DaemonSet, Node, PodSpec, Taint } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { nodeFit, nodeNameOf, pinnedToNode, tolerationsFor } from './node-fit.js';

const daemonSet = (spec: Partial<PodSpec> = {}): DaemonSet => ({
  metadata: { name: 'd' },
  spec: { selector: {}, template: { spec: { containers: [], ...spec } } },
});
const node = (taints: Taint[] = []): Node => ({ metadata: { name: 'n', labels: { disk: 'ssd' } }, spec: { taints } });
const runs = { shouldRun: true, mayStay: true };
const stays = { shouldRun: false, mayStay: true };
const leaves = { shouldRun: false, mayStay: false };

describe('nodeFit', () => {
  test.each([
    ['runs on a plain node', {}, [], runs],
    ['runs where its selector matches', { nodeSelector: { disk: 'ssd' } }, [], runs],
    ['leaves where its selector does not match', { nodeSelector: { disk: 'hdd' } }, [], leaves],
    ['leaves where it is meant for another node', { nodeName: 'other' }, [], leaves],
    ['does not come where nothing is scheduled, but stays', {}, [{ key: 'k', effect: 'NoSchedule' }], stays],
    ['leaves where it may not be', {}, [{ key: 'k', effect: 'NoExecute' }], leaves],
    ['does not mind a preference', {}, [{ key: 'k', effect: 'PreferNoSchedule' }], runs],
    ['bears a node that is gone', {}, [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }], runs],
    ['bears a cordon', {}, [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }], runs],
    [
      'needs a network unless it uses that of its node',
      {},
      [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' }],
      stays,
    ],
    [
      'needs no network where it uses that of its node',
      { hostNetwork: true },
      [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' }],
      runs,
    ],
    [
      'bears what its template bears',
      { tolerations: [{ key: 'k', operator: 'Exists' }] },
      [{ key: 'k', effect: 'NoExecute' }],
      runs,
    ],
  ] as [string, Partial<PodSpec>, Taint[], object][])('a daemon %s', (_name, spec, taints, expected) => {
    expect(nodeFit(daemonSet(spec), node(taints))).toEqual(expected);
  });
});

test('a toleration that is there already is not added again', () => {
  const own = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' };
  const keys = tolerationsFor({ containers: [], tolerations: [own] }).map(({ key }) => key);
  expect(keys.filter((key) => key === own.key)).toHaveLength(1);
});

test('a pod that is not bound yet is counted where it is pinned to', () => {
  expect(nodeNameOf({ metadata: {}, spec: pinnedToNode({ containers: [] }, 'n') })).toBe('n');
});
