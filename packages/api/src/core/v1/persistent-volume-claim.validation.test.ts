import { formatFieldError } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnUpdate, withDefaults } from '../../rules.fixture.js';
import { validatePersistentVolumeClaimStatusUpdate } from './persistent-volume-claim.validation.js';

const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  status: { phase: 'Bound', capacity: { storage: '1Gi' } },
};

test.each<[string, Changes, string[]]>([
  [
    'a claim says how it is used',
    { 'spec.accessModes': [] },
    ['spec.accessModes: Required value: at least 1 access mode is required'],
  ],
  ['and how much it wants', { 'spec.resources': {} }, ['spec.resources[storage]: Required value']],
  [
    'a source of the core group is a claim',
    { 'spec.dataSource': { kind: 'Pod', name: 'p' } },
    [`spec.dataSource: Invalid value: "Pod": must be 'PersistentVolumeClaim' when referencing the default apiGroup`],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(claim, changes)).toEqual(want);
});

test.each<[string, Changes, string[]]>([
  ['a bound claim may grow', { 'spec.resources.requests.storage': '2Gi' }, []],
  [
    'but not shrink below what it has',
    { 'spec.resources.requests.storage': '512Mi' },
    ['spec.resources.requests.storage: Forbidden: field can not be less than status.capacity'],
  ],
  ['a volume is bound once', { 'spec.volumeName': 'pv' }, []],
  ['a class that was left open may be filled in', { 'spec.storageClassName': 'fast' }, []],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnUpdate(claim, changes)).toEqual(want);
});

test('other fields of a claim are immutable', () => {
  const [problem] = problemsOnUpdate(claim, { 'spec.accessModes': ['ReadWriteMany'] });
  expect(problem).toContain('spec: Forbidden: spec is immutable after creation except resources.requests');
});

test.each<[string, Changes, string[]]>([
  ['what is being allocated is storage', { 'status.allocatedResources': { storage: '2Gi', 'a.b/c': '1' } }, []],
  [
    'and nothing else of the cluster',
    { 'status.allocatedResources': { cpu: '1' } },
    ['status.allocatedResources: Unsupported value: "cpu": supported values: "storage"'],
  ],
  [
    'states of a resize are known',
    { 'status.allocatedResourceStatuses': { storage: 'Nice' } },
    [
      'status.allocatedResourceStatus: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
    ],
  ],
  [
    'a volume is not smaller than nothing',
    { 'status.capacity.storage': '-1' },
    ['status.capacity[storage]: Invalid value: -1: must be a valid resource quantity'],
  ],
])('%s', (_sentence, changes, want) => {
  expect(validatePersistentVolumeClaimStatusUpdate(withDefaults(claim, changes)).map(formatFieldError)).toEqual(want);
});
