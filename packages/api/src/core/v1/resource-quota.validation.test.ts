import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnUpdate } from '../../rules.fixture.js';

const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard: { pods: '4' } } };

test.each<[string, Changes, string[]]>([
  ['objects of any kind can be counted', { 'spec.hard': { 'count/deployments.apps': '2' } }, []],
  [
    'but nothing that is not known',
    { 'spec.hard': { cheese: '1' } },
    [
      'spec.hard[cheese]: Invalid value: "cheese": must be a standard resource type or fully qualified',
      'spec.hard[cheese]: Invalid value: "cheese": must be a standard resource for quota',
    ],
  ],
  [
    'there are no half pods',
    { 'spec.hard.pods': '500m' },
    ['spec.hard[pods]: Invalid value: "500m": must be an integer'],
  ],
  ['scopes are known', { 'spec.scopes': ['Nice'] }, ['spec.scopes: Invalid value: ["Nice"]: unsupported scope']],
  [
    'and do not exclude each other',
    { 'spec.scopes': ['BestEffort', 'NotBestEffort'] },
    ['spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes'],
  ],
  [
    'the scope PriorityClass does not apply to ephemeral storage',
    {
      'spec.hard': { 'requests.cpu': '1', 'requests.ephemeral-storage': '1Gi' },
      'spec.scopes': ['PriorityClass'],
    },
    ['spec.scopes: Invalid value: ["PriorityClass"]: unsupported scope applied to resource'],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(quota, changes)).toEqual(want);
});

test('scopes never change', () => {
  expect(problemsOnUpdate(quota, { 'spec.scopes': ['BestEffort'] })).toEqual([
    'spec.scopes: Invalid value: ["BestEffort"]: field is immutable',
  ]);
});
