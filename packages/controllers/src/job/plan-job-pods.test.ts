import type { batchv1, Job, Pod } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { assessJob } from './assess-job.js';
import { planJobPods } from './plan-job-pods.js';
import { type FailureStreak, noFailures } from './pod-backoff.js';

const now = 1_000_000;

interface Case {
  readonly spec: Partial<batchv1.JobSpec>;
  readonly status?: batchv1.JobStatus;
  /** Phases, with `~` for terminating pods, and an index after `:`. */
  readonly pods: string;
  readonly streak?: FailureStreak;
}

function plan({ spec, status, pods, streak = noFailures }: Case): string {
  const job: Job = { metadata: { name: 'j', uid: 'u' }, spec: { template: {}, ...spec }, ...(status && { status }) };
  const make = (text: string, at: number): Pod => {
    const [phase = '', index] = text.split(':');
    return {
      metadata: {
        name: `p${at}`,
        uid: `${at}`,
        finalizers: ['batch.kubernetes.io/job-tracking'],
        ...(index && { annotations: { 'batch.kubernetes.io/job-completion-index': index } }),
        ...(phase.endsWith('~') && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      },
      status: { phase: phase.replace('~', '') },
    };
  };
  const all = pods.split(' ').filter(Boolean).map(make);
  const decided = planJobPods(assessJob({ job, pods: all, released: new Set(), now }), streak);
  switch (decided.kind) {
    case 'create':
      return `create ${decided.indexes.map((index) => index ?? '*').join(' ')}`;
    case 'delete':
      return `delete ${decided.pods.map(({ metadata }) => metadata.name).join(' ')}`;
    case 'wait':
      return `wait ${decided.delayMs}`;
    case 'nothing':
      return 'nothing';
  }
}

const indexed = { completionMode: 'Indexed', completions: 3, parallelism: 3 };

describe('planJobPods', () => {
  test.each<[string, Case, string]>([
    ['JOB-16a as many as may run side by side', { spec: { parallelism: 2 }, pods: '' }, 'create * *'],
    ['JOB-16a none after the first success', { spec: { parallelism: 2 }, pods: 'Succeeded Running' }, 'nothing'],
    [
      'JOB-16b no more than are still needed',
      { spec: { parallelism: 3, completions: 4 }, pods: 'Succeeded Succeeded Succeeded' },
      'create *',
    ],
    [
      'with those counted before',
      { spec: { parallelism: 3, completions: 4 }, status: { succeeded: 3 }, pods: '' },
      'create *',
    ],
    [
      'JOB-15 fewer where fewer may run',
      { spec: { parallelism: 1, completions: 4 }, pods: 'Running Pending' },
      'delete p1',
    ],
    ['none of a suspended job', { spec: { parallelism: 2, suspend: true }, pods: 'Running Running' }, 'delete p0 p1'],
    ['nothing yet after a failure', { spec: {}, pods: '', streak: { failures: 1, lastAt: now - 4000 } }, 'wait 6000'],
    ['a new one for one being deleted', { spec: {}, pods: 'Running~' }, 'create *'],
    [
      'nothing before it has ended where that is waited for',
      { spec: { podReplacementPolicy: 'Failed' }, pods: 'Running~' },
      'nothing',
    ],
    ['one for each index', { spec: indexed, pods: '' }, 'create 0 1 2'],
    ['one for an index that has failed', { spec: indexed, pods: 'Succeeded:0 Failed:1 Running:2' }, 'create 1'],
    ['none for one that is done', { spec: indexed, status: { completedIndexes: '0,2' }, pods: 'Running:1' }, 'nothing'],
    ['only one for each index', { spec: indexed, pods: 'Running:0 Pending:0 Running:1 Running:2' }, 'delete p1'],
    ['none for an index that is not requested', { spec: indexed, pods: 'Running:0 Running:7' }, 'delete p1'],
    [
      'none for an index that may not fail again',
      { spec: { ...indexed, backoffLimitPerIndex: 0 }, pods: 'Failed:0 Running:1' },
      'create 2',
    ],
  ])('%s', (_name, facts, expected) => {
    expect(plan(facts)).toBe(expected);
  });
});
