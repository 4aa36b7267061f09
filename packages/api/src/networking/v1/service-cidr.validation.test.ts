import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnUpdate } from '../../rules.fixture.js';

const range = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'ServiceCIDR',
  metadata: { name: 'r' },
  spec: { cidrs: ['10.0.0.0/24'] },
};

test.each<[string, Changes, string[]]>([
  ['a range is one', { 'spec.cidrs': [] }, ['spec.cidrs: Required value: at least one CIDR required']],
  [
    'or one for each family',
    { 'spec.cidrs': ['10.0.0.0/24', '10.1.0.0/24'] },
    [
      'spec.cidrs: Invalid value: ["10.0.0.0/24","10.1.0.0/24"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/96',
    ],
  ],
  ['both families are welcome', { 'spec.cidrs': ['10.0.0.0/24', '2001:db8::/96'] }, []],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(range, changes)).toEqual(want);
});

test('a range stays, but the other family may be added', () => {
  expect(problemsOnUpdate(range, { 'spec.cidrs': ['10.0.0.0/24', '2001:db8::/96'] })).toEqual([]);
  expect(problemsOnUpdate(range, { 'spec.cidrs': ['10.1.0.0/24'] })).toEqual([
    'spec.cidrs[0]: Invalid value: "10.1.0.0/24": field is immutable',
  ]);
});
