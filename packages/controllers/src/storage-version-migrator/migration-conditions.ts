import type { storagemigrationv1beta1 } from '@coracle/api';
import { formatTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

type Migration = storagemigrationv1beta1.StorageVersionMigration;

export interface MigrationChange {
  readonly type: 'Running' | 'Succeeded' | 'Failed';
  readonly message?: string;
  readonly resourceVersion?: string;
}

const reasons: Readonly<Record<MigrationChange['type'], string>> = {
  Running: 'StorageVersionMigrationInProgress',
  Succeeded: 'StorageVersionMigrationSucceeded',
  Failed: 'StorageVersionMigrationFailed',
};

/** A migration that has ended is never restarted. */
export function isFinished({ status }: Migration): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: value }) => (type === 'Succeeded' || type === 'Failed') && value === 'True',
  );
}

/** The migration with one more condition; a migration that ends does not run any more. */
export function withCondition(migration: Migration, change: MigrationChange, now: Millis): Migration {
  const { type, message = '', resourceVersion = migration.status?.resourceVersion } = change;
  const lastTransitionTime = formatTime(now);
  const reason = reasons[type];
  const earlier = (migration.status?.conditions ?? []).filter((one) => one.type !== type);
  const ended = earlier.map((one) =>
    one.type === 'Running' && one.status === 'True' ? { ...one, status: 'False', reason, lastTransitionTime } : one,
  );
  const condition = { type, status: 'True', reason, message, lastTransitionTime };
  return {
    ...migration,
    status: {
      ...migration.status,
      ...(resourceVersion !== undefined && { resourceVersion }),
      conditions: [...ended, condition],
    },
  };
}
