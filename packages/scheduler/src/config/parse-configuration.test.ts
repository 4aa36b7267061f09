import { describe, expect, test } from 'vitest';
import { parseConfiguration } from './parse-configuration.js';

const head = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' };

describe('parseConfiguration', () => {
  test('SCH-16 fills in what is not said', () => {
    expect(parseConfiguration({ ...head, profiles: [{ schedulerName: 'packer' }] })).toMatchObject({
      podMaxBackoffSeconds: 10,
      profiles: [{ schedulerName: 'packer' }],
    });
  });

  test.each([
    [{ kind: 'Pod', apiVersion: 'v1' }, 'this is no KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1'],
    [undefined, 'this is no KubeSchedulerConfiguration'],
    [{ ...head, parallelism: 0 }, 'parallelism: Invalid value: 0: should be an integer value greater than zero'],
  ])('SCH-5 refuses %j', (value, problem) => {
    expect(() => parseConfiguration(value)).toThrow(problem);
  });
});
