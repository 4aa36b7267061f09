import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import {
  addControllerManagerFlags,
  type ControllerManagerFlags,
  controllerSettings,
} from './controller-manager-flags.js';

function settings(...args: string[]) {
  const command = addControllerManagerFlags(new Command('controller-manager')).exitOverride();
  command.configureOutput({ writeErr: () => {} }).parse(args, { from: 'user' });
  return controllerSettings(command.opts<ControllerManagerFlags>());
}

describe('the flags of the controller manager', () => {
  test('KCM-9 NL-1 have the values that kube-controller-manager has', () => {
    expect(settings()).toEqual({
      enabled: ['*'],
      workers: {
        'deployment-controller': 5,
        'replicaset-controller': 5,
        'replicationcontroller-controller': 5,
        'daemonset-controller': 2,
        'statefulset-controller': 5,
        'job-controller': 5,
        'cronjob-controller': 5,
        'ttl-after-finished-controller': 5,
        'endpoints-controller': 5,
        'endpointslice-controller': 5,
        'endpointslice-mirroring-controller': 5,
        'namespace-controller': 10,
        'garbage-collector-controller': 20,
        'resourcequota-controller': 5,
        'serviceaccount-token-controller': 5,
        'horizontal-pod-autoscaler-controller': 5,
        'ephemeral-volume-controller': 5,
        'service-lb-controller': 1,
        'validatingadmissionpolicy-status-controller': 5,
        'resourceclaim-controller': 10,
        'device-taint-eviction-controller': 8,
      },
      nodeLifecycle: {
        periodMs: 5_000,
        grace: { running: 50_000, starting: 60_000 },
        rates: { usual: 0.1, inTrouble: 0.01, largeZone: 50, unhealthyShare: 0.55 },
      },
      attachDetach: { isForceDetachDisabled: false, syncPeriodMs: 60_000, isSyncDisabled: false },
      persistentVolumeBinder: { syncPeriodMs: 15_000, isProvisioningEnabled: true },
      certificateSigning: { durationMs: 365 * 24 * 3_600_000 },
      endpoints: { batchMs: 0 },
      endpointSliceMirroring: { maxEndpoints: 1000, batchMs: 0 },
      podGc: { terminatedThreshold: 12_500 },
      endpointSlice: { maxEndpoints: 100, batchMs: 0 },
      resourceQuota: { resyncMs: 300_000 },
      horizontalPodAutoscaler: {
        syncPeriodMs: 15_000,
        downscaleMs: 300_000,
        tolerance: 0.1,
        cpuInitializationMs: 300_000,
        initialReadinessDelayMs: 30_000,
      },
      legacyTokens: { periodMs: 365 * 24 * 3_600_000 },
    });
  });

  test('KCM-7 reach the controllers', () => {
    const some = settings(
      '--concurrent-deployment-syncs=9',
      '--node-monitor-grace-period=20s',
      '--node-eviction-rate=0.5',
      '--terminated-pod-gc-threshold=0',
      '--disable-force-detach-on-timeout',
      '--attach-detach-reconcile-sync-period=2m',
      '--disable-attach-detach-reconcile-sync',
      '--enable-dynamic-provisioning=false',
      '--pvclaimbinder-sync-period=1m',
      '--cluster-signing-duration=24h',
      '--mirroring-max-endpoints-per-subset=10',
      '--endpoint-updates-batch-period=1s',
      '--endpointslice-updates-batch-period=2s',
      '--mirroring-endpointslice-updates-batch-period=3s',
      '--concurrent-validating-admission-policy-status-syncs=2',
      '--allocate-node-cidrs',
      '--cluster-cidr=10.0.0.0/8',
      '--service-cluster-ip-range=10.0.0.0/16',
      '--cidr-allocator-type=RangeAllocator',
      '--controllers=*,-job',
      '--enable-garbage-collector=false',
    );
    expect(some).toMatchObject({
      enabled: ['*', '-job', '-garbage-collector-controller'],
      workers: { 'deployment-controller': 9, 'validatingadmissionpolicy-status-controller': 2 },
      nodeLifecycle: { grace: { running: 20_000 }, rates: { usual: 0.5 } },
      attachDetach: { isForceDetachDisabled: true, syncPeriodMs: 120_000, isSyncDisabled: true },
      persistentVolumeBinder: { syncPeriodMs: 60_000, isProvisioningEnabled: false },
      certificateSigning: { durationMs: 24 * 3_600_000 },
      endpoints: { batchMs: 1000 },
      endpointSlice: { batchMs: 2000 },
      endpointSliceMirroring: { maxEndpoints: 10, batchMs: 3000 },
      nodeIpam: { ranges: [{ cidr: '10.0.0.0/8', maskSize: 24 }], serviceRanges: ['10.0.0.0/16'] },
      podGc: { terminatedThreshold: 0 },
    });
  });

  test.each([
    ['--controllers=foo', '"foo" is not in the list of known controllers'],
    ['--node-eviction-rate=fast', 'it must be a number'],
    ['--mirroring-max-endpoints-per-subset=1001', 'it must be between 1 and 1000'],
    ['--attach-detach-reconcile-sync-period=999ms', 'it must be at least one second'],
    ['--cidr-allocator-type=CloudAllocator', 'Allowed choices are RangeAllocator'],
    [
      '--allocate-node-cidrs --cluster-cidr=10.0.0.0/16 --service-cluster-ip-range=10.1.0.0/16,10.2.0.0/16',
      '--service-cluster-ip-range: at most one range of each IP family',
    ],
  ])('KCM-10 %s is refused', (text, why) => {
    expect(() => settings(...text.split(' '))).toThrow(why);
  });
});
