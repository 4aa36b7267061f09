import { resources } from '@coracle/api';
import type { GroupResource } from '@coracle/apimachinery';
import { storagePrefix, storageRoot } from './storage-prefix.js';

/** Built-in resources by the part of their keys after the root: `secrets/`, `services/specs/`. */
const builtIn = new Map<string, GroupResource>(
  resources.map(({ group, resource }) => [
    storagePrefix({ group, resource }).slice(storageRoot.length),
    { group, resource },
  ]),
);

/** Results by key prefix. There are few, and they are needed for every read and write of the store. */
const cache = new Map<string, GroupResource | null>();

/** The last result and its prefix: most keys are of the same resource as the previous one. */
let last: { readonly prefix: string; readonly resource: GroupResource } | undefined;

/**
 * The resource of a key in the store, the same value for all keys of a resource; `undefined` for keys without an
 * object.
 */
export function resourceOfKey(key: string): GroupResource | undefined {
  if (last && key.startsWith(last.prefix)) return last.resource;
  if (!key.startsWith(storageRoot)) return undefined;
  const first = key.indexOf('/', storageRoot.length) + 1;
  if (first === 0) return undefined;
  const plain = builtIn.get(key.slice(storageRoot.length, first));
  if (plain) {
    last = { prefix: key.slice(0, first), resource: plain };
    return plain;
  }
  const second = key.indexOf('/', first) + 1;
  if (second === 0) return undefined;
  const part = key.slice(storageRoot.length, second);
  let found = cache.get(part);
  if (found === undefined) {
    const [group = '', resource = ''] = part.split('/');
    found = builtIn.get(part) ?? (group.includes('.') ? { group, resource } : null);
    cache.set(part, found);
  }
  if (found) last = { prefix: key.slice(0, second), resource: found };
  return found ?? undefined;
}
