import { describe, expect, test } from 'vitest';
import { warningsOf } from '../../rules.fixture.js';

const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec: { template } };
const cronJob = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'cj' },
  spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } },
};

const hostname =
  'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]';
const tooMany =
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';

describe('a warning', () => {
  test.each([
    { name: 'is not for a plain job', sample: job, changes: {}, warnings: [] },
    {
      name: 'is for a job with a name that no pod can have',
      sample: job,
      changes: { 'metadata.name': 'a.b' },
      warnings: [hostname],
    },
    {
      name: 'is for a job with very many indexes at once',
      sample: job,
      changes: { 'spec.completionMode': 'Indexed', 'spec.completions': 100_001, 'spec.parallelism': 10_001 },
      warnings: [tooMany],
    },
    {
      name: 'is not for a job with many indexes, a few at once',
      sample: job,
      changes: { 'spec.completionMode': 'Indexed', 'spec.completions': 100_001, 'spec.parallelism': 10_000 },
      warnings: [],
    },
    { name: 'is not for a plain cron job', sample: cronJob, changes: {}, warnings: [] },
    {
      name: 'is for a cron job with a zone in its schedule',
      sample: cronJob,
      changes: { 'spec.schedule': 'TZ=UTC 0 0 * * *' },
      warnings: [
        'CRON_TZ or TZ used in schedule "TZ=UTC 0 0 * * *" is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
      ],
    },
  ])('$name', ({ sample, changes, warnings }) => {
    expect(warningsOf(sample, changes)).toEqual(warnings);
  });
});
