import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnUpdate, withDefaults } from '../../rules.fixture.js';

const node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n' },
  spec: { podCIDR: '10.2.0.0/24', providerID: 'x://1', taints: [{ key: 'a', effect: 'NoSchedule' }] },
};

test('the one pod CIDR is also the first of the list', () => {
  expect(withDefaults(node).spec.podCIDRs).toEqual(['10.2.0.0/24']);
});

test.each<[string, Changes, string[]]>([
  ['a taint has an effect', { 'spec.taints.0.effect': '' }, ['metadata.taints[0].effect: Required value']],
  [
    'taints differ in key or effect',
    { 'spec.taints.1': { key: 'a', effect: 'NoSchedule', value: 'v' } },
    [
      'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"v","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
    ],
  ],
  [
    'one range for each family',
    { 'spec.podCIDRs': ['10.2.0.0/24', '10.3.0.0/24'] },
    [
      'spec.podCIDRs: Invalid value: ["10.2.0.0/24","10.3.0.0/24"]: may specify no more than one CIDR for each IP family',
    ],
  ],
  [
    'a range that is given twice is one too many',
    { 'spec.podCIDRs': ['10.2.0.0/24', '10.2.0.0/24'] },
    [
      'spec.podCIDRs: Invalid value: ["10.2.0.0/24","10.2.0.0/24"]: may specify no more than one CIDR for each IP family',
    ],
  ],
  [
    'features are named, in order, once',
    { 'status.declaredFeatures': ['B', 'B', 'A/b'] },
    [
      'status.declaredFeatures[1]: Duplicate value: "B"',
      'status.declaredFeatures[2]: Invalid value: "A/b": list must be sorted alphabetically',
    ],
  ],
  [
    'swap is more than none',
    { 'status.nodeInfo': { swap: { capacity: 0 } } },
    ['metadata.nodeSwapStatus.capacity: Invalid value: 0: must be greater than zero'],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(node, changes)).toEqual(want);
});

test.each<[string, Changes, string[]]>([
  ['taints come and go', { 'spec.taints': [] }, []],
  [
    'a node stays on its machine',
    { 'spec.providerID': 'x://2' },
    ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
  ],
  [
    'and in its range',
    { 'spec.podCIDR': '10.9.0.0/24' },
    ['spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnUpdate(node, changes)).toEqual(want);
});
