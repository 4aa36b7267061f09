import { formatFieldError } from '@coracle/apimachinery';
import { describe, expect, it } from 'vitest';
import type { CronJob, CronJobSpec } from '../../generated/types/batch-v1.js';
import { setCronJobDefaults } from './cron-job.defaults.js';
import { validateCronJob } from './cron-job.validation.js';
import { scheduleProblem } from './cron-schedule.js';

const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'nginx:1.27' }] } };

function makeCronJob(spec: Partial<CronJobSpec> = {}, name = 'nightly'): CronJob {
  const jobTemplate = { spec: { template: structuredClone(template) } };
  const cronJob: CronJob = { metadata: { name }, spec: { schedule: '0 0 * * *', jobTemplate, ...spec } };
  setCronJobDefaults(cronJob);
  return cronJob;
}

describe('a cron job', () => {
  it('keeps a few jobs and lets them overlap by default', () => {
    expect(makeCronJob().spec).toMatchObject({
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
  });

  it.each<{ name: string; spec: Partial<CronJobSpec>; errors: string[] }>([
    { name: 'is right', spec: {}, errors: [] },
    { name: 'has a schedule', spec: { schedule: '' }, errors: ['spec.schedule: Required value'] },
    {
      name: 'says its time zone in a field',
      spec: { schedule: 'TZ=UTC 0 0 * * *' },
      errors: [
        'spec.schedule: Invalid value: "TZ=UTC 0 0 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      ],
    },
    {
      name: 'is in a place that there is',
      spec: { timeZone: 'Europe/Atlantis' },
      errors: ['spec.timeZone: Invalid value: "Europe/Atlantis": unknown time zone Europe/Atlantis'],
    },
    {
      name: 'leaves the selector to its jobs',
      spec: { jobTemplate: { spec: { template, selector: { matchLabels: { a: 'b' } } } } },
      errors: [
        'spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated',
      ],
    },
  ])('$name', ({ spec, errors }) => {
    expect(validateCronJob(makeCronJob(spec)).map(formatFieldError)).toEqual(errors);
  });

  it('has a name short enough for those of its jobs', () => {
    expect(validateCronJob(makeCronJob({}, 'a'.repeat(53))).map(({ body }) => body)).toEqual([
      `Invalid value: "${'a'.repeat(53)}": must be no more than 52 characters`,
    ]);
  });
});

describe('scheduleProblem', () => {
  it.each(['* * * * *', '*/5 0-6/2 1,15 jan-dec mon', '@hourly', '@every 1h30m', '0 0 ? * 6'])(
    'takes %s',
    (schedule) => {
      expect(scheduleProblem(schedule)).toBeUndefined();
    },
  );

  it.each([
    ['x', 'expected exactly 5 fields, found 1: [x]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['a * * * *', 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['@often', 'unrecognized descriptor: @often'],
  ])('refuses %s', (schedule, problem) => {
    expect(scheduleProblem(schedule)).toBe(problem);
  });
});
