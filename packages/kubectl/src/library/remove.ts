import { type Deletion, sendDeletion, uidOf } from '../commands/delete.js';
import type { DryRun } from '../resources/common-flags.js';
import { waitUntilDeleted } from '../resources/wait-deleted.js';
import type { Session } from './session.js';
import { infosOf, type Query } from './targets.js';

export interface RemoveOptions {
  /** What happens to dependents; `Background` by default. */
  readonly cascade?: Deletion['cascade'];
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: DryRun;
  /** Timeout of waiting until the objects are deleted; 0 does not wait. */
  readonly waitMs?: number;
}

export interface Removed {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Deletes the objects of a query. `getTree` shows before what would go with them. */
export async function remove(session: Session, query: Query, options: RemoveOptions = {}): Promise<Removed[]> {
  const { cascade = 'Background', gracePeriodSeconds = -1, dryRun = 'none', waitMs = 0 } = options;
  const infos = await infosOf(session, query, { namesOnly: true });
  const helper = await session.helper();
  const removed: Removed[] = [];
  const waiting: { info: (typeof infos)[number]; uid: string }[] = [];
  for (const info of infos) {
    const answer = await sendDeletion(helper, info, { cascade, gracePeriod: gracePeriodSeconds, force: false, dryRun });
    const uid = answer ? uidOf(answer) : '';
    removed.push({ resource: info.mapping?.resource ?? '', namespace: info.namespace, name: info.name, uid });
    waiting.push({ info, uid });
  }
  if (waitMs > 0 && dryRun === 'none') await waitUntilDeleted(session.context, waiting, waitMs);
  return removed;
}
