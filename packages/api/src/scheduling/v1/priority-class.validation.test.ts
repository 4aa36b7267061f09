import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnUpdate, withDefaults } from '../../rules.fixture.js';

const priorityClass = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: 'high' },
  value: 100,
};

test('pods of a class make room for themselves', () => {
  expect(withDefaults(priorityClass).preemptionPolicy).toBe('PreemptLowerPriority');
});

test.each<[string, Changes, string[]]>([
  [
    'users stay below the system',
    { value: 1_000_000_001 },
    ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
  ],
  [
    'and keep off its names',
    { 'metadata.name': 'system-mine' },
    [
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
    ],
  ],
  [
    'pods preempt or do not',
    { preemptionPolicy: 'Perhaps' },
    ['preemptionPolicy: Unsupported value: "Perhaps": supported values: "PreemptLowerPriority", "Never"'],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(priorityClass, changes)).toEqual(want);
});

test('pods carry the value, so it stays', () => {
  expect(problemsOnUpdate(priorityClass, { value: 200 })).toEqual([
    'value: Forbidden: may not be changed in an update.',
  ]);
});
