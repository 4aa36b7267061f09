import type { ComponentOptions } from '@coracle/cluster';
import { type Command, InvalidArgumentError } from 'commander';
import { booleanFlag, durationFlag, parseTimespan } from './flag-values.js';

/** Options of the controllers of persistent volumes. */
export interface PersistentVolumeFlags {
  readonly enableDynamicProvisioning: boolean;
  readonly pvclaimbinderSyncPeriod: number;
  readonly attachDetachReconcileSyncPeriod: number;
  readonly disableAttachDetachReconcileSync: boolean;
  readonly disableForceDetachOnTimeout: boolean;
}

export function addPersistentVolumeFlags(command: Command): Command {
  return command
    .addOption(booleanFlag('enable-dynamic-provisioning', 'provision volumes for claims of a storage class'))
    .addOption(
      durationFlag('pvclaimbinder-sync-period', 'interval between resyncs of claims that have no volume', 15_000),
    )
    .addOption(
      durationFlag(
        'attach-detach-reconcile-sync-period',
        'interval between resyncs of nodes with attached volumes; at least 1s',
        60_000,
      ).argParser(parseSyncPeriod),
    )
    .addOption(booleanFlag('disable-attach-detach-reconcile-sync', 'do not resync nodes with attached volumes', false))
    .addOption(
      booleanFlag(
        'disable-force-detach-on-timeout',
        'never detach volumes by force because an unhealthy node does not unmount them in time',
        false,
      ),
    );
}

export function persistentVolumeSettings(
  flags: PersistentVolumeFlags,
): Pick<NonNullable<ComponentOptions['controllers']>, 'attachDetach' | 'persistentVolumeBinder'> {
  return {
    attachDetach: {
      isForceDetachDisabled: flags.disableForceDetachOnTimeout,
      syncPeriodMs: flags.attachDetachReconcileSyncPeriod,
      isSyncDisabled: flags.disableAttachDetachReconcileSync,
    },
    persistentVolumeBinder: {
      syncPeriodMs: flags.pvclaimbinderSyncPeriod,
      isProvisioningEnabled: flags.enableDynamicProvisioning,
    },
  };
}

function parseSyncPeriod(text: string): number {
  const periodMs = parseTimespan(text);
  if (periodMs < 1000) throw new InvalidArgumentError('it must be at least one second');
  return periodMs;
}
