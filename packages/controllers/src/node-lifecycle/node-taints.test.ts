import type { Node, Taint } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { planEvictionTaints, planLabels, planSchedulingTaints } from './node-taints.js';

function node(conditions: Record<string, string>, taints: Taint[] = [], unschedulable = false): Node {
  return {
    metadata: { name: 'n' },
    spec: { taints, ...(unschedulable && { unschedulable }) },
    status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
  };
}

const own = (name: string, effect = 'NoSchedule') => ({ key: `node.kubernetes.io/${name}`, effect });
const foreign = { key: 'example.com/own', effect: 'NoSchedule' };

describe('NL-14 taints that keep new pods away', () => {
  test.each([
    ['a node that is not ready', node({ Ready: 'False' }), ['not-ready']],
    ['a node that is silent', node({ Ready: 'Unknown' }), ['unreachable']],
    [
      'pressure',
      node({ Ready: 'True', MemoryPressure: 'True', DiskPressure: 'True' }),
      ['memory-pressure', 'disk-pressure'],
    ],
    ['a node without a network', node({ NetworkUnavailable: 'True' }), ['network-unavailable']],
    ['a cordoned node', node({ Ready: 'True' }, [], true), ['unschedulable']],
  ])('%s', (_name, subject, names) => {
    const timeAdded = '1970-01-01T00:00:00Z';
    expect(planSchedulingTaints(subject, 0)).toEqual(names.map((name) => ({ ...own(name), timeAdded })));
  });

  test('come in the order of the conditions', () => {
    const taints = planSchedulingTaints(node({ PIDPressure: 'True', MemoryPressure: 'True', Ready: 'False' }), 0);
    expect(taints?.map(({ key }) => key)).toEqual(
      ['pid-pressure', 'memory-pressure', 'not-ready'].map((name) => own(name).key),
    );
  });

  test('NL-15 are removed when the node is healthy again, and those of other components stay', () => {
    expect(planSchedulingTaints(node({ Ready: 'True' }, [own('not-ready'), foreign]), 0)).toEqual([foreign]);
  });

  test('are not written when they are there', () => {
    expect(planSchedulingTaints(node({ Ready: 'False' }, [own('not-ready'), foreign]), 0)).toBeUndefined();
  });
});

describe('NL-21 taints that evict pods', () => {
  test('a node without heartbeats is unreachable from now on', () => {
    expect(planEvictionTaints(node({}, [foreign]), 'Unknown', 0)).toEqual([
      foreign,
      { ...own('unreachable', 'NoExecute'), timeAdded: '1970-01-01T00:00:00Z' },
    ]);
  });

  test('one replaces the other, and both are removed when the node is ready', () => {
    const tainted = node({}, [own('not-ready', 'NoExecute')]);
    expect(planEvictionTaints(tainted, 'Unknown', 0)?.map(({ key }) => key)).toEqual([
      'node.kubernetes.io/unreachable',
    ]);
    expect(planEvictionTaints(tainted, 'True', 0)).toEqual([]);
    expect(planEvictionTaints(tainted, 'False', 0)).toBeUndefined();
  });
});

test('NL-16 deprecated labels follow the current ones', () => {
  const labels = { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64', 'beta.kubernetes.io/arch': 'amd64' };
  expect(planLabels({ metadata: { labels } })).toEqual({
    'beta.kubernetes.io/os': 'linux',
    'beta.kubernetes.io/arch': 'arm64',
  });
  expect(planLabels({ metadata: {} })).toBeUndefined();
});
