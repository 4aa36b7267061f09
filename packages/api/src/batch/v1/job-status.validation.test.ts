import { describe, expect, test } from 'vitest';
import { type Changes, problemsOnStatusUpdate } from '../../rules.fixture.js';

const job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'j' },
  spec: {
    completions: 10,
    completionMode: 'Indexed',
    backoffLimitPerIndex: 1,
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
  },
};
const conditions = (...types: string[]) => types.map((type) => ({ type, status: 'True' }));
const times = { 'status.startTime': '2026-01-01T00:00:00Z', 'status.completionTime': '2026-01-01T00:01:00Z' };
const ended = { ...times, 'status.conditions': conditions('SuccessCriteriaMet', 'Complete') };

interface Case {
  readonly name: string;
  readonly changes: Changes;
  readonly problems: readonly string[];
}

describe('the status of a job', () => {
  const cases: readonly Case[] = [
    { name: 'may say nothing', changes: {}, problems: [] },
    { name: 'may say that it is complete', changes: ended, problems: [] },
    {
      name: 'has counts that there can be',
      changes: { 'status.active': -1, 'status.ready': 0 },
      problems: [
        'status.active: Invalid value: -1: must be greater than or equal to 0',
        'status.ready: Invalid value: 0: cannot set more ready pods than active',
      ],
    },
    {
      name: 'names each pod once that is still to be counted',
      changes: { 'status.uncountedTerminatedPods': { succeeded: ['a', ''], failed: ['a'] } },
      problems: [
        'status.uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
        'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
      ],
    },
    {
      name: 'does not say that it is complete and failed',
      changes: {
        ...times,
        'status.conditions': conditions('Complete', 'Failed', 'FailureTarget', 'SuccessCriteriaMet'),
      },
      problems: [
        'cannot set Complete=True and Failed=true conditions',
        'cannot set Complete=True and FailureTarget=true conditions',
        'cannot set SuccessCriteriaMet=True and Failed=true conditions',
        'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
      ].map((problem) => `status.conditions: Invalid value: ${problem}`),
    },
    {
      name: 'says why it failed before it says that it has',
      changes: { 'status.startTime': '2026-01-01T00:00:00Z', 'status.conditions': conditions('Failed') },
      problems: [
        'status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition',
      ],
    },
    {
      name: 'says when it was complete',
      changes: { ...ended, 'status.completionTime': undefined },
      problems: ['status.completionTime: Required value: completionTime is required for Complete jobs'],
    },
    {
      name: 'is not complete before it has begun, nor without saying so',
      changes: {
        'status.startTime': times['status.completionTime'],
        'status.completionTime': times['status.startTime'],
      },
      problems: [
        'status.completionTime: Invalid value: "2026-01-01T00:00:00Z": cannot set completionTime when there is no Complete=True condition',
        'status.completionTime: Invalid value: "2026-01-01T00:00:00Z": completionTime cannot be set before startTime',
      ],
    },
    {
      name: 'has nothing left to do at its end',
      changes: {
        'status.conditions': conditions('FailureTarget', 'Failed'),
        'status.active': 1,
        'status.terminating': 2,
        'status.uncountedTerminatedPods': { failed: ['a'] },
      },
      problems: [
        'status.active: Invalid value: 1: active>0 is invalid for finished job',
        'status.startTime: Required value: startTime is required for finished job',
        'status.uncountedTerminatedPods: Invalid value: {"failed":["a"]}: uncountedTerminatedPods needs to be empty for finished job',
        'status.terminating: Invalid value: 2: terminating>0 is invalid for finished job',
      ],
    },
    {
      name: 'has indexes only where the job has them',
      changes: {
        'spec.completionMode': 'NonIndexed',
        'spec.backoffLimitPerIndex': undefined,
        'status.completedIndexes': '1',
        'status.failedIndexes': '2',
      },
      problems: [
        'status.completedIndexes: Invalid value: "1": cannot set non-empty completedIndexes when non-indexed completion mode',
        'status.failedIndexes: Invalid value: "2": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
      ],
    },
    {
      name: 'has indexes that the job has, in order',
      changes: { 'status.completedIndexes': '3,1', 'status.failedIndexes': '12' },
      problems: [
        'status.completedIndexes: Invalid value: "3,1": error parsing completedIndexes: non-increasing order, previous: 3, current: 1',
        'status.failedIndexes: Invalid value: "12": error parsing failedIndexes: too large index: "12"',
      ],
    },
    {
      name: 'tells the first index that has both completed and failed',
      changes: { 'status.completedIndexes': '0,3-5', 'status.failedIndexes': '1-4' },
      problems: ['status.failedIndexes: Invalid value: "1-4": failedIndexes and completedIndexes overlap at index: 3'],
    },
  ];
  test.each(cases)('$name', ({ changes, problems }) => {
    expect(problemsOnStatusUpdate(job, changes)).toEqual(problems);
  });
});

describe('the status of a job, compared with its previous one', () => {
  const before = (status: object) => ({ ...job, status });
  const cases: readonly (Case & { readonly status: object })[] = [
    {
      name: 'keeps an end',
      status: { conditions: conditions('FailureTarget', 'Failed'), startTime: times['status.startTime'] },
      changes: { 'status.conditions': [] },
      problems: ['Failed', 'FailureTarget'].map(
        (type) => `status.conditions: Invalid value: cannot disable the terminal ${type}=True condition`,
      ),
    },
    {
      name: 'keeps what was counted',
      status: { succeeded: 3, failed: 2 },
      changes: { 'status.succeeded': 2, 'status.failed': 0 },
      problems: [
        'status.failed: Invalid value: 0: cannot decrease the failed counter',
        'status.succeeded: Invalid value: 2: cannot decrease the succeeded counter',
      ],
    },
    {
      name: 'keeps the times of its beginning and of its end',
      status: {
        startTime: times['status.startTime'],
        completionTime: times['status.completionTime'],
        conditions: conditions('SuccessCriteriaMet', 'Complete'),
      },
      changes: { 'status.startTime': '2026-01-01T00:00:30Z', 'status.completionTime': '2026-01-01T00:02:00Z' },
      problems: [
        'status.completionTime: Invalid value: "2026-01-01T00:02:00Z": completionTime cannot be mutated',
        'status.startTime: Required value: startTime cannot be removed for unsuspended job',
      ],
    },
    {
      name: 'begins again when the job is resumed',
      status: { startTime: times['status.startTime'], conditions: conditions('Suspended') },
      changes: { 'status.conditions': [], 'status.startTime': '2026-01-01T01:00:00Z' },
      problems: [],
    },
    {
      name: 'keeps its success',
      status: { conditions: conditions('SuccessCriteriaMet') },
      changes: { 'status.conditions': [] },
      problems: ['status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition'],
    },
  ];
  test.each(cases)('$name', ({ status, changes, problems }) => {
    expect(problemsOnStatusUpdate(before(status), changes)).toEqual(problems);
  });
});
