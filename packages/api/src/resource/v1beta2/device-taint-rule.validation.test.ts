import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnStatusUpdate, problemsOnUpdate } from '../../rules.fixture.js';

const rule = {
  apiVersion: 'resource.k8s.io/v1beta2',
  kind: 'DeviceTaintRule',
  metadata: { name: 'r' },
  spec: {
    deviceSelector: { driver: 'd.example.com', pool: 'p', device: 'gpu-0' },
    taint: { key: 'a', effect: 'NoExecute' },
  },
};

test.each<[string, Changes, string[]]>([
  ['a rule taints some devices', {}, []],
  ['or all', { 'spec.deviceSelector': undefined }, []],
  ['with some effect', { 'spec.taint.effect': '' }, ['spec.taint.effect: Required value']],
  [
    'that is known',
    { 'spec.taint.effect': 'Explode' },
    ['spec.taint.effect: Unsupported value: "Explode": supported values: "NoExecute", "NoSchedule", "None"'],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(rule, changes)).toEqual(want);
});

test('devices are chosen by names that devices can have', () => {
  const found = problemsOnCreate(rule, { 'spec.deviceSelector': { driver: 'a_b', pool: '', device: 'x y' } });
  expect(found.map((problem) => problem.split(':')[0])).toEqual([
    'spec.deviceSelector.driver',
    'spec.deviceSelector.pool',
    'spec.deviceSelector.device',
  ]);
});

test('an unchanged effect may be one of another version', () => {
  const old = { ...rule, spec: { taint: { key: 'a', effect: 'New' } } };
  expect(problemsOnUpdate(old, { 'spec.taint.value': 'b' })).toEqual([]);
  expect(problemsOnUpdate(old, { 'spec.taint.effect': 'Newer' })).toHaveLength(1);
});

test('its conditions are of the common form', () => {
  expect(problemsOnStatusUpdate(rule, { 'status.conditions': [{ type: 'A', status: 'True' }] })).toHaveLength(2);
});
