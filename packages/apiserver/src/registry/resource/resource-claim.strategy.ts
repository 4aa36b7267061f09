import type { resourcev1 } from '@coracle/api';
import { clientMetadata } from '../keep-metadata.js';
import { nullEmptyLists } from '../null-empty-lists.js';
import type { Strategy } from '../strategy.js';
import { checkAdminAccess, checkAllocatedAdminAccess } from './admin-access.js';
import { dropDisabledClaimFields, dropDisabledTemplateFields } from './disabled-device-fields.js';

/** The spec of a claim is immutable, so admin access is authorized once. */
export const resourceClaimStrategy: Strategy<resourcev1.ResourceClaim> = {
  dropDisabled: dropDisabledClaimFields,
  canonicalize: nullEmptyLists('spec.devices.requests'),
  prepareForStatusUpdate(claim, previous) {
    claim.spec = previous.spec;
    dropDeallocated(claim, previous);
  },
  validateCreate: ({ metadata, spec }, context) =>
    checkAdminAccess(spec?.devices ?? {}, metadata.namespace ?? '', context),
  validateStatusUpdate: checkAllocatedAdminAccess,
  statusKeeps: clientMetadata,
};

export const resourceClaimTemplateStrategy: Strategy<resourcev1.ResourceClaimTemplate> = {
  dropDisabled: dropDisabledTemplateFields,
  validateCreate: ({ metadata, spec }, context) =>
    checkAdminAccess(spec?.spec?.devices ?? {}, metadata.namespace ?? '', context),
};

/** The status of a device is removed with its allocation: clients that deallocate need not remove it. */
function dropDeallocated({ status }: resourcev1.ResourceClaim, previous: resourcev1.ResourceClaim): void {
  if (!status?.devices) return;
  const allocated = allocatedIn(status);
  const before = allocatedIn(previous.status);
  const devices = status.devices.filter((device) => allocated.has(idOf(device)) || !before.has(idOf(device)));
  if (devices.length > 0) status.devices = devices;
  else delete status.devices;
}

function allocatedIn(status: resourcev1.ResourceClaimStatus | undefined): ReadonlySet<string> {
  return new Set((status?.allocation?.devices?.results ?? []).map(idOf));
}

function idOf({
  driver,
  pool,
  device,
  shareID = '',
}: Pick<resourcev1.AllocatedDeviceStatus, 'driver' | 'pool' | 'device' | 'shareID'>): string {
  return [driver, pool, device, shareID].join('/');
}
