import type { KubeObject } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';

/** Removes duplicate owner references, with a warning to the client. */
export function dropDuplicateOwners({ metadata }: KubeObject, warn: (message: string) => void): void {
  const owners = metadata.ownerReferences;
  if (!owners || owners.length < 2) return;
  const unique = owners.filter((owner, index) => owners.findIndex((other) => deepEqual(other, owner)) === index);
  if (unique.length === owners.length) return;
  const duplicates = new Set(owners.filter((owner) => !unique.includes(owner)).map(({ uid }) => uid));
  warn(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...duplicates].join(', ')}`,
  );
  metadata.ownerReferences = unique;
}
