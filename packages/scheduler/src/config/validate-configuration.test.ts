import { formatFieldError } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { type SchedulerConfiguration, withDefaults } from './scheduler-configuration.js';
import { validateConfiguration } from './validate-configuration.js';

describe('the configuration of a scheduler', () => {
  test('SCH-19 has the defaults of upstream', () => {
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
        'profiles[0].percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100]',
        'percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]',
      ],
    ],
    [{ podInitialBackoffSeconds: 0 }, ['podInitialBackoffSeconds: Invalid value: 0: must be greater than 0']],
    [
      { podInitialBackoffSeconds: 20 },
      ['podMaxBackoffSeconds: Invalid value: 10: must be greater than or equal to PodInitialBackoffSeconds'],
    ],
    [
      { profiles: [{ schedulerName: 'a' }, { schedulerName: 'a' }, {}] },
      [
        'profiles[1].schedulerName: Duplicate value: "profiles[0].schedulerName"',
        'profiles[2].schedulerName: Required value',
      ],
    ],
    [
      { profiles: [{ pluginConfig: [{ name: 'NodeResourcesFit' }, { name: 'NodeResourcesFit' }] }] },
      ['profiles[0].pluginConfig[1]: Duplicate value: "NodeResourcesFit"'],
    ],
    [
      { profiles: [{ plugins: { filter: { enabled: [{ name: 'EBSLimits' }] } } }] },
      [
        'profiles[0].plugins.filter.enabled[0]: Invalid value: "EBSLimits": was invalid in version "v1" ' +
          '(KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")',
      ],
    ],
    [
      {
        extenders: [
          {
            urlPrefix: 'http://a',
            prioritizeVerb: 'p',
            bindVerb: 'b',
            managedResources: [{ name: 'cpu' }, { name: 'a/b/c' }],
          },
          {
            urlPrefix: 'http://b',
            bindVerb: 'b',
            managedResources: [{ name: 'example.com/a' }, { name: 'example.com/a' }],
          },
        ],
      },
      [
        'extenders[0].weight: Invalid value: 0: must have a positive weight applied to it',
        'extenders[0].managedResources[0].name: Invalid value: "cpu": is an invalid extended resource name',
        'extenders[0].managedResources[1].name: Invalid value: "a/b/c": a valid label key must consist of alphanumeric ' +
          "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or " +
          "'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an " +
          "optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
        'extenders[1].managedResources[1].name: Invalid value: "example.com/a": duplicate extender managed resource name',
        'extenders: Invalid value: "found 2 extenders implementing bind": only one extender can implement bind',
      ],
    ],
  ])('SCH-20 SCH-38 %j: %j', (config, problems) => {
    expect(validateConfiguration(config).map(formatFieldError)).toEqual(problems);
  });

  test('profiles share the queue sort plugin', () => {
    const profiles = [
      { schedulerName: 'a' },
      { schedulerName: 'b', plugins: { queueSort: { enabled: [{ name: 'Mine' }] } } },
    ];
    expect(validateConfiguration({ profiles }).map(formatFieldError)).toEqual([
      'profiles[1].plugins.queueSort: Invalid value: {"enabled":[{"name":"Mine"}]}: must be the same for all profiles',
    ]);
  });

  test('the plugin that sorts the queue is one, with the same arguments in all profiles', () => {
    const queueSort = { enabled: [{ name: 'Mine' }] };
    const profile = (schedulerName: string, by: string) => ({
      schedulerName,
      plugins: { queueSort },
      pluginConfig: [{ name: 'Mine', args: { by } }],
    });
    const problems = (...profiles: SchedulerConfiguration['profiles'] & object) =>
      validateConfiguration({ profiles }).map(formatFieldError);

    expect(problems(profile('a', 'age'), profile('b', 'age'))).toEqual([]);
    expect(problems(profile('a', 'age'), profile('b', 'size'))).toEqual([
      'profiles[1].pluginConfig.args: Invalid value: {"by":"size"}: queueSort must be the same for all profiles',
    ]);
    const both = { queueSort: { enabled: [{ name: 'Mine' }, { name: 'Yours' }] } };
    expect(problems({ schedulerName: 'a', plugins: both })).toEqual([
      'profiles[0].plugins.queueSort.Enabled: Invalid value: 2: only one queue sort plugin can be enabled',
    ]);
  });
});
