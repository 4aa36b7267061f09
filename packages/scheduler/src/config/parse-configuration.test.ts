import { describe, expect, test } from 'vitest';
import { parseConfiguration } from './parse-configuration.js';

const head = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' };

describe('parseConfiguration', () => {
  test('SCH-16 sets defaults', () => {
    expect(parseConfiguration({ ...head, profiles: [{ schedulerName: 'packer' }] })).toMatchObject({
      podMaxBackoffSeconds: 10,
      profiles: [{ schedulerName: 'packer' }],
    });
  });

  test('leaves absent fields unset, and accepts the fields of the process', () => {
    const document = {
      ...head,
      parallelism: null,
      leaderElection: { leaderElect: false },
      profiles: [{ plugins: null }],
    };
    expect(parseConfiguration(document)).toMatchObject({
      parallelism: 16,
      profiles: [{ schedulerName: 'default-scheduler' }],
    });
  });

  test.each([
    [{ kind: 'Pod', apiVersion: 'v1' }, 'not a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1'],
    [undefined, 'not a KubeSchedulerConfiguration'],
    [{ ...head, parallelism: 0 }, 'parallelism: Invalid value: 0: should be an integer value greater than zero'],
    [
      { ...head, parallelism: 0, podInitialBackoffSeconds: 0 },
      '[parallelism: Invalid value: 0: should be an integer value greater than zero, ' +
        'podInitialBackoffSeconds: Invalid value: 0: must be greater than 0]',
    ],
    [
      { ...head, parallelism: '3' },
      'json: cannot unmarshal string into Go struct field KubeSchedulerConfiguration.parallelism of type int32',
    ],
    [
      { ...head, profiles: [{ percentageOfNodesToScore: 1.5 }] },
      'json: cannot unmarshal number 1.5 into Go struct field KubeSchedulerProfile.profiles.percentageOfNodesToScore ' +
        'of type int32',
    ],
    [
      { ...head, profiles: {} },
      'json: cannot unmarshal object into Go struct field KubeSchedulerConfiguration.profiles of type ' +
        '[]v1.KubeSchedulerProfile',
    ],
    [{ ...head, extenders: [{ urlPrefix: 'http://a', httpTimeout: '5' }] }, 'time: invalid duration "5"'],
    [
      { ...head, profile: [], profiles: [{ plugin: {} }] },
      'strict decoding error: unknown field "profile", unknown field "profiles[0].plugin"',
    ],
    [
      { ...head, profiles: [{ pluginConfig: [{ name: 'DynamicResources', args: { bindingTimeout: 'soon' } }] }] },
      'decoding .profiles[0].pluginConfig[0]: decoding args for plugin DynamicResources: time: invalid duration "soon"',
    ],
    [
      { ...head, profiles: [{ pluginConfig: [{ name: 'NodeAffinity', args: { added: {} } }] }] },
      'strict decoding error: decoding .profiles[0].pluginConfig[0]: strict decoding error: decoding args for plugin ' +
        'NodeAffinity: strict decoding error: unknown field "added"',
    ],
    [
      { ...head, profiles: [{ pluginConfig: [{ name: 'NodeAffinity', args: { kind: 'NodeResourcesFitArgs' } }] }] },
      'decoding .profiles[0].pluginConfig[0]: args for plugin NodeAffinity were not of type ' +
        'NodeAffinityArgs.kubescheduler.config.k8s.io, got NodeResourcesFitArgs.kubescheduler.config.k8s.io',
    ],
    [
      { ...head, profiles: [{ pluginConfig: [{ name: 'InterPodAffinity', args: { hardPodAffinityWeight: 'x' } }] }] },
      'decoding .profiles[0].pluginConfig[0]: decoding args for plugin InterPodAffinity: json: cannot unmarshal string ' +
        'into Go struct field InterPodAffinityArgs.hardPodAffinityWeight of type int32',
    ],
  ])('SCH-5 refuses %j', (value, problem) => {
    expect(() => parseConfiguration(value)).toThrow(problem);
  });
});
