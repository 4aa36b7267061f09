import { formatFieldError } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { type SchedulerConfiguration, withDefaults } from './scheduler-configuration.js';
import { validateConfiguration } from './validate-configuration.js';

describe('the configuration of a scheduler', () => {
  test('SCH-19 has the defaults of the release', () => {
    expect(withDefaults({})).toMatchObject({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      parallelism: 16,
      percentageOfNodesToScore: 0,
      podInitialBackoffSeconds: 1,
      podMaxBackoffSeconds: 10,
      profiles: [{ schedulerName: 'default-scheduler' }],
    });
  });

  test.each<[SchedulerConfiguration, string[]]>([
    [{}, []],
    [{ parallelism: 0 }, ['parallelism: Invalid value: 0: should be an integer value greater than zero']],
    [
      { percentageOfNodesToScore: 101, profiles: [{ percentageOfNodesToScore: -1 }] },
      [
        'percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]',
        'profiles[0].percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100]',
      ],
    ],
    [{ podInitialBackoffSeconds: 0 }, ['podInitialBackoffSeconds: Invalid value: 0: must be greater than 0']],
    [
      { podInitialBackoffSeconds: 20 },
      ['podMaxBackoffSeconds: Invalid value: 10: must be greater than or equal to PodInitialBackoffSeconds'],
    ],
    [
      { profiles: [{ schedulerName: 'a' }, { schedulerName: 'a' }, {}] },
      ['profiles[1].schedulerName: Duplicate value: "a"', 'profiles[2].schedulerName: Required value'],
    ],
    [
      { profiles: [{ pluginConfig: [{ name: 'NodeResourcesFit' }, { name: 'NodeResourcesFit' }] }] },
      ['profiles[0].pluginConfig[1]: Duplicate value: "NodeResourcesFit"'],
    ],
  ])('%j: %j', (config, problems) => {
    expect(validateConfiguration(config).map(formatFieldError)).toEqual(problems);
  });

  test('profiles share the queue, and so its order', () => {
    const profiles = [
      { schedulerName: 'a' },
      { schedulerName: 'b', plugins: { queueSort: { enabled: [{ name: 'Mine' }] } } },
    ];
    expect(validateConfiguration({ profiles }).map(formatFieldError)).toEqual([
      expect.stringContaining('queueSort must be the same for all profiles'),
    ]);
  });
});
