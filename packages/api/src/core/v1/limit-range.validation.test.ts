import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, withDefaults } from '../../rules.fixture.js';

const limitRange = {
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'l' },
  spec: { limits: [{ type: 'Container', max: { cpu: '2' }, min: { cpu: '100m' } }] },
};

test('the maximum is the default limit, and the default limit the default request', () => {
  expect(withDefaults(limitRange).spec.limits[0]).toMatchObject({
    default: { cpu: '2' },
    defaultRequest: { cpu: '2' },
  });
});

test.each<[string, Changes, string[]]>([
  [
    'the least is less than the most',
    { 'spec.limits.0': { type: 'Pod', max: { cpu: '1' }, min: { cpu: '2' } } },
    ['spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1'],
  ],
  [
    'a default lies between them',
    { 'spec.limits.0.default': { cpu: '3' }, 'spec.limits.0.defaultRequest': { cpu: '1' } },
    ['spec.limits[0].default[cpu]: Invalid value: "2": default value 3 is greater than max value 2'],
  ],
  ['each type once', { 'spec.limits.1': { type: 'Container' } }, ['spec.limits[1].type: Duplicate value: "Container"']],
  [
    'claims are limited in storage',
    { 'spec.limits.0': { type: 'PersistentVolumeClaim' } },
    [
      'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
    ],
  ],
  [
    'pods have no defaults',
    { 'spec.limits.0': { type: 'Pod', default: { cpu: '1' } } },
    ["spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'"],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(limitRange, changes)).toEqual(want);
});
