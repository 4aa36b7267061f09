import type { ResourceInfo } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { checkRuntimeConfig, isEnabled } from './runtime-config.js';

const info = (group: string, version: string, resource: string) => ({ group, version, resource }) as ResourceInfo;
const pods = info('', 'v1', 'pods');
const jobs = info('batch', 'v1', 'jobs');
const trials = info('batch', 'v1beta1', 'trials');
const dreams = info('batch', 'v2alpha1', 'dreams');
const all = [pods, jobs, trials, dreams];

describe('FLAG-70 SCHEME-06 SCHEME-07 SCHEME-26 the served APIs', () => {
  test.each([
    [{}, ['pods', 'jobs']],
    [{ 'api/all': true }, ['pods', 'jobs', 'trials', 'dreams']],
    [{ 'api/beta': true }, ['pods', 'jobs', 'trials']],
    [{ 'api/alpha': true }, ['pods', 'jobs', 'dreams']],
    [{ 'api/ga': false }, []],
    [{ v1: false }, ['jobs']],
    [{ 'api/v1': false }, ['jobs']],
    [{ 'batch/v1': false }, ['pods']],
    [{ 'batch/v1/jobs': false }, ['pods']],
    [{ 'api/all': false, 'batch/v1': true }, ['jobs']],
    [{ 'batch/v2alpha1': true, 'batch/v2alpha1/dreams': false }, ['pods', 'jobs']],
  ])('with %j', (config, served) => {
    expect(all.filter((one) => isEnabled(config, one)).map(({ resource }) => resource)).toEqual(served);
    checkRuntimeConfig(config, all);
  });

  test.each([
    [{ 'nothing/v1': true, 'none/v1': true, 'off/v1': false }, 'unknown api groups nothing,none'],
    [{ some: true }, 'unknown api groups some'],
    [{ 'batch/v9': true }, 'group version batch/v9 that has not been registered'],
    [{ 'batch/v9/jobs': true }, 'group version batch/v9/jobs that has not been registered'],
  ])('START-12 %j is refused', (config: Record<string, boolean>, problem) => {
    expect(() => checkRuntimeConfig(config, all)).toThrow(problem);
  });
});
