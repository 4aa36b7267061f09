import { formatFieldError } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { parseConfiguration } from './parse-configuration.js';
import { electionSettings, statedProcessFields, validateProcess } from './process-configuration.js';

const defaults = {
  leaderElect: true,
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
  resourceLock: 'leases',
  resourceName: 'kube-scheduler',
  resourceNamespace: 'kube-system',
};

describe('the process of a scheduler', () => {
  test('has defaults for absent and empty values', () => {
    expect(electionSettings()).toEqual(defaults);
    expect(electionSettings({ leaseDuration: '0s', resourceLock: '', resourceName: '' })).toEqual(defaults);
    expect(
      electionSettings({ leaderElect: false, leaseDuration: '1m', renewDeadline: '40s', resourceNamespace: 'mine' }),
    ).toEqual({
      ...defaults,
      leaderElect: false,
      leaseDurationMs: 60_000,
      renewDeadlineMs: 40_000,
      resourceNamespace: 'mine',
    });
  });

  test.each([
    [{}, []],
    [{ leaderElection: { leaderElect: false, retryPeriod: '-1s', resourceLock: 'endpoints' } }, []],
    [
      { leaderElection: { leaseDuration: '5s', retryPeriod: '-1s', resourceLock: 'endpoints' } },
      [
        'leaderElection.retryPeriod: Invalid value: "-1s": must be greater than zero',
        'leaderElection.leaseDuration: Invalid value: "10s": LeaseDuration must be greater than RenewDeadline',
        'leaderElection.resourceLock: Invalid value: "endpoints": resourceLock value must be "leases"',
      ],
    ],
    [{ clientConnection: { burst: -1 } }, ['clientConnection.burst: Invalid value: -1: must be non-negative']],
  ])('%j: %j', (configuration, expected) => {
    expect(validateProcess(configuration).map(formatFieldError)).toEqual(expected);
  });

  test('is read with the rest of a configuration', () => {
    const head = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' };
    const clientConnection = { kubeconfig: '/k', qps: 1.5 };
    expect(parseConfiguration({ ...head, clientConnection })).toMatchObject({ clientConnection });
    expect(() => parseConfiguration({ ...head, leaderElection: { retryPeriod: '-1s' } })).toThrow(
      'leaderElection.retryPeriod: Invalid value: "-1s": must be greater than zero',
    );
    expect(() => parseConfiguration({ ...head, leaderElection: { leaderElect: 'yes' } })).toThrow(
      'json: cannot unmarshal string into Go struct field LeaderElectionConfiguration.leaderElection.leaderElect of type bool',
    );
    expect(() => parseConfiguration({ ...head, clientConnection: { QPS: 1 } })).toThrow(
      'strict decoding error: unknown field "clientConnection.QPS"',
    );
    expect(() => parseConfiguration({ ...head, clientConnection: { qps: 'many' } })).toThrow('of type float32');
  });

  test('lists settings without effect', () => {
    const configuration = {
      parallelism: 3,
      enableProfiling: false,
      clientConnection: { kubeconfig: '/k', qps: 1 },
      leaderElection: { leaderElect: false },
    };
    expect(statedProcessFields(configuration)).toEqual([
      'leaderElection.leaderElect',
      'clientConnection.kubeconfig',
      'clientConnection.qps',
      'enableProfiling',
    ]);
    expect(statedProcessFields(configuration, (path) => path.startsWith('leaderElection.'))).toEqual([
      'clientConnection.kubeconfig',
      'clientConnection.qps',
      'enableProfiling',
    ]);
  });
});
