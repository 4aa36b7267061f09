import type { PersistentVolume, PersistentVolumeClaim } from '@coracle/api';
import { parseQuantity } from '@coracle/apimachinery';

/** The size to which the filesystem of a volume must grow on its node; `undefined` if it has it. */
export function neededExpansion(claim: PersistentVolumeClaim, volume: PersistentVolume): string | undefined {
  const there = volume.spec?.capacity?.['storage'];
  const reportedSize = claim.status?.capacity?.['storage'];
  if (there === undefined || reportedSize === undefined) return undefined;
  return parseQuantity(there).compare(parseQuantity(reportedSize)) > 0 ? there : undefined;
}

/** Conditions that are removed once the volume has its size. */
const overWithExpansion: ReadonlySet<string> = new Set(['Resizing', 'FileSystemResizePending', 'NodeResizeError']);

/** The merge patch of the claim's status after the expansion. */
export function expandedStatus({ status = {} }: PersistentVolumeClaim, storage: string): object {
  const conditions = (status.conditions ?? []).filter(({ type }) => !overWithExpansion.has(type));
  return {
    status: {
      capacity: { ...status.capacity, storage },
      conditions: conditions.length > 0 ? conditions : null,
      ...(status.allocatedResourceStatuses?.['storage'] && { allocatedResourceStatuses: { storage: null } }),
    },
  };
}
