import { describe, expect, it } from 'vitest';
import { cellsOf } from '../../columns/row.fixture.js';

const template = { spec: { containers: [{ name: 'a', image: 'perl' }] } };
const holds = (type: string) => ({ conditions: [{ type, status: 'True' }] });
const deleted = { deletionTimestamp: '2026-01-05T00:00:00Z' };

describe('the table of jobs', () => {
  it.each<readonly [string, object, object]>([
    ['Complete', holds('Complete'), {}],
    ['Failed', holds('Failed'), {}],
    ['Suspended', holds('Suspended'), {}],
    ['FailureTarget', holds('FailureTarget'), {}],
    ['SuccessCriteriaMet', holds('SuccessCriteriaMet'), {}],
    ['Running', {}, {}],
    ['Running', { conditions: [{ type: 'Suspended', status: 'False' }] }, {}],
    ['Terminating', holds('Suspended'), deleted],
    ['Complete', holds('Complete'), deleted],
  ])('says %s', (word, status, metadata) => {
    expect(cellsOf({ apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template }, status })[1]).toBe(word);
  });

  it.each<readonly [string, object]>([
    ['2/5', { completions: 5, parallelism: 3 }],
    ['2/1 of 3', { parallelism: 3 }],
    ['2/1', { parallelism: 1 }],
    ['2/1', {}],
  ])('counts %s', (text, spec) => {
    const job = { apiVersion: 'batch/v1', kind: 'Job', spec: { ...spec, template }, status: { succeeded: 2 } };
    expect(cellsOf(job)[2]).toBe(text);
  });

  it.each<readonly [string, object]>([
    ['', {}],
    ['10m', { startTime: '2026-01-05T23:50:00Z' }],
    ['90s', { startTime: '2026-01-02T00:00:00Z', completionTime: '2026-01-02T00:01:30Z' }],
  ])('takes %j', (text, status) => {
    const selector = { matchLabels: { job: 'x' } };
    const job = { apiVersion: 'batch/v1', kind: 'Job', spec: { template, selector }, status };
    expect(cellsOf(job).slice(3)).toEqual([text, '5d', 'a', 'perl', 'job=x']);
  });
});

describe('the table of cron jobs', () => {
  it.each<readonly [readonly unknown[], object, object]>([
    [['*/5 * * * *', '<none>', '<unset>', 0, '<none>'], { schedule: '*/5 * * * *' }, {}],
    [
      ['@daily', 'Asia/Tokyo', 'True', 1, '24h'],
      { schedule: '@daily', timeZone: 'Asia/Tokyo', suspend: true },
      { active: [{ name: 'j' }], lastScheduleTime: '2026-01-05T00:00:00Z' },
    ],
  ])('shows %j', (cells, spec, status) => {
    const jobTemplate = { spec: { template } };
    const cronJob = { apiVersion: 'batch/v1', kind: 'CronJob', spec: { ...spec, jobTemplate }, status };
    expect(cellsOf(cronJob)).toEqual(['x', ...cells, '5d', 'a', 'perl', '<none>']);
  });
});
