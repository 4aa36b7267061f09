import { union } from './field-set.js';
import { compareText, type Owner, type Owners, ownerId, secondsOf, withFields } from './managed-fields.js';

/** As many entries by updates as an object keeps apart. */
const maxUpdaters = 10;
const oldUpdaters = 'ancient-changes';

/** Joins the oldest updaters of each version into one, `ancient-changes`, until there are few enough. */
export function capUpdaters(owners: Owners): Owners {
  if (owners.size <= maxUpdaters) return owners;
  const updaters = [...owners].filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= maxUpdaters) return owners;
  updaters.sort(([idA, a], [idB, b]) => secondsOf(a) - secondsOf(b) || compareText(idA, idB));
  const capped = new Map(owners);
  const firstByVersion = new Map<string, string>();
  let excess = updaters.length - maxUpdaters;
  for (const [id, owner] of updaters) {
    if (excess === 0) break;
    const first = firstByVersion.get(owner.apiVersion);
    if (first === undefined) firstByVersion.set(owner.apiVersion, id);
    else {
      joinOldest(capped, { id, owner, first });
      excess--;
    }
  }
  return capped;
}

interface Joining {
  readonly id: string;
  readonly owner: Owner;
  /** The oldest updater of the same version. */
  readonly first: string;
}

function joinOldest(owners: Map<string, Owner>, { id, owner, first }: Joining): void {
  const bucket = { ...withFields(owner, owner.fields), manager: oldUpdaters, subresource: '' };
  const bucketId = ownerId(bucket);
  const other = owners.has(bucketId) && id !== bucketId ? bucketId : first;
  const before = owners.get(other);
  owners.delete(other);
  owners.delete(id);
  // The time is that of the newest one that was joined.
  owners.set(bucketId, before ? { ...bucket, fields: union(owner.fields, before.fields) } : bucket);
}
