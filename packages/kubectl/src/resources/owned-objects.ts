import { resourceInfos } from '@coracle/client';
import type { Context } from '../command/context.js';
import { type Fields, numberAt, recordAt, recordsAt, textAt } from '../values.js';
import { kindName } from './info.js';
import { collectionPath, RequestHelper } from './request-helper.js';

/** An object with what it owns. */
export interface OwnedObject {
  readonly name: string;
  readonly status: string;
  readonly owned: readonly OwnedObject[];
}

/** Everything that an object owns, directly and through others. */
export async function dependentsOf(
  context: Pick<Context, 'factory'>,
  uid: string,
  namespace: string,
): Promise<OwnedObject[]> {
  const byOwner = await ownedByUid(context, namespace);
  const below = (owner: string, seen: ReadonlySet<string>): OwnedObject[] =>
    (byOwner.get(owner) ?? [])
      .filter((one) => !seen.has(textAt(one.object, 'metadata', 'uid')))
      .map((one) => {
        const own = textAt(one.object, 'metadata', 'uid');
        return { name: one.name, status: statusOf(one.object), owned: below(own, new Set([...seen, own])) };
      });
  return below(uid, new Set([uid]));
}

interface Found {
  readonly name: string;
  readonly object: Fields;
}

/** The objects of a namespace by the uids of their owners. Kinds that may not be listed are left out. */
async function ownedByUid({ factory }: Pick<Context, 'factory'>, namespace: string): Promise<Map<string, Found[]>> {
  const helper = new RequestHelper(await factory.client());
  const resources = resourceInfos(await (await factory.discovery()).resources());
  const seen = new Set<string>();
  const owners = resources.filter((one) => {
    const key = `${one.group}/${one.resource}`;
    if (
      seen.has(key) ||
      !one.verbs.includes('list') ||
      (namespace !== '' && !one.namespaced) ||
      one.resource === 'events'
    )
      return false;
    seen.add(key);
    return true;
  });
  const byOwner = new Map<string, Found[]>();
  await Promise.all(
    owners.map(async (mapping) => {
      const list = await helper.send('GET', collectionPath({ mapping, namespace })).catch(() => undefined);
      for (const object of recordsAt(list, 'items'))
        for (const owner of recordsAt(object, 'metadata', 'ownerReferences')) {
          const uid = textAt(owner, 'uid');
          const found = {
            name: `${kindName(mapping.kind, mapping.group)}/${textAt(object, 'metadata', 'name')}`,
            object,
          };
          byOwner.set(
            uid,
            [...(byOwner.get(uid) ?? []), found].sort((a, b) => (a.name < b.name ? -1 : 1)),
          );
        }
    }),
  );
  return byOwner;
}

/** A short description of an object, if it has any. */
export function statusOf(object: Fields): string {
  const status = recordAt(object, 'status');
  const phase = textAt(status, 'phase');
  if (phase !== '') return phase;
  const desired = numberAt(object, 'spec', 'replicas');
  if (desired !== undefined) return `${numberAt(status, 'readyReplicas') ?? 0}/${desired} ready`;
  const ready = recordsAt(status, 'conditions').find((one) => one['type'] === 'Ready' || one['type'] === 'Available');
  return ready ? `${textAt(ready, 'type')}=${textAt(ready, 'status')}` : '';
}
