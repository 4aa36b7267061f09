import { badRequest, expired, type ListMeta, StatusError } from '@coracle/apimachinery';
import { nextTurn } from '@coracle/base';
import { type Revision, StoreError } from '@coracle/store';
import { convertForEncoding } from '../conversion/converted-objects.js';
import type { ServedResource } from '../served-resource.js';
import { type ContinueToken, formatContinueToken, parseContinueToken } from '../storage/continue-token.js';
import { storeFailure } from '../storage/store-failure.js';
import type { StoredObject } from '../storage/stored-object.js';
import type { ResourceStorage } from '../watching/resource-storage.js';
import type { Selection } from '../watching/selection.js';
import type { ListOptions } from './list-options.js';
import { awaitFreshness, parseRevision } from './revision.js';

export interface Page {
  readonly items: readonly StoredObject[];
  readonly revision: Revision;
  readonly continueToken?: string;
  /** Number of remaining objects; unknown if there is a selector. */
  readonly remaining?: number;
}

/**
 * Reads objects as fresh as the client requests:
 *
 * | resourceVersion | match        | freshness                                   |
 * |-----------------|--------------|---------------------------------------------|
 * | none            |              | as the store is now                         |
 * | 0               |              | whatever the cache has, without paging      |
 * | n               | none, NotOlderThan | at least n                            |
 * | n               | Exact        | as it was at n                              |
 * | continue token  |              | as it was when the first page was read      |
 */
export async function listPage(resource: ServedResource, selection: Selection, options: ListOptions): Promise<Page> {
  const page = await readPage(resource, selection, options);
  return selection.matchesServed ? await servedPage(resource, page, selection.matchesServed) : page;
}

/**
 * The objects of a page that match a field selector on a remotely converted version. They may be fewer than the limit.
 */
async function servedPage(
  resource: ServedResource,
  page: Page,
  matches: NonNullable<Selection['matchesServed']>,
): Promise<Page> {
  const converted = (await convertForEncoding(resource, page.items))?.items ?? page.items;
  return { ...page, items: page.items.filter((_, index) => matches(converted[index] as StoredObject)) };
}

async function readPage(resource: ServedResource, selection: Selection, options: ListOptions): Promise<Page> {
  const { storage } = resource.stored;
  const { resourceVersion, match, limit, continueToken } = options;
  try {
    if (!storage.isCached) return await fromStore(resource, selection, options);
    if (continueToken !== '') return await continued(resource, selection, { limit, token: tokenIn(options) });
    if (resourceVersion === '0' && match !== 'Exact') return fromCache(resource, selection, 0);
    if (resourceVersion !== '') {
      const revision = parseRevision(resourceVersion, 'list');
      const exact = match === 'Exact' || (match === '' && limit > 0);
      await awaitFreshness(storage, revision);
      if (exact) return await asItWas(resource, selection, { limit, revision, startKey: '' });
      return fromCache(resource, selection, limit);
    }
    const revision = await storage.currentRevision();
    if (await storage.isFresh(revision)) return fromCache(resource, selection, limit);
    // The watch on the store is cut or late. The store itself answers.
    return await asItWas(resource, selection, { limit, revision, startKey: '' });
  } catch (error) {
    if (StoreError.is(error, 'Compacted')) throw tooOld(options);
    throw storeFailure(error, resource.info, 'list');
  }
}

export function listMeta({ revision, continueToken, remaining }: Page): ListMeta {
  return {
    resourceVersion: String(revision),
    ...(continueToken !== undefined && { continue: continueToken }),
    ...(remaining !== undefined && { remainingItemCount: remaining }),
  };
}

/** The token contains the revision of the pages, so the request cannot select another one. */
function tokenIn({ continueToken, resourceVersion }: ListOptions): ContinueToken {
  const token = parseContinueToken(continueToken);
  if (resourceVersion === '' || resourceVersion === '0') return token;
  throw badRequest('specifying resource version is not allowed when using continue');
}

const inconsistentRest =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/**
 * If the revision of a list is compacted, the list can continue at the current one: the error contains a token for
 * that.
 */
function tooOld({ continueToken }: ListOptions): StatusError {
  if (continueToken === '') return expired('The resourceVersion for the provided list is too old.');
  const { startKey } = parseContinueToken(continueToken);
  const { status } = expired(inconsistentRest);
  return new StatusError({ ...status, metadata: { continue: formatContinueToken({ revision: -1, startKey }) } });
}

function fromCache({ stored }: ServedResource, selection: Selection, limit: number): Page {
  const { cache } = stored.storage;
  const { revision } = cache;
  if (selection.name !== undefined && selection.scope.kind === 'key') {
    const found = cache.get(selection.scope.key);
    return { items: found && selection.matches(found) ? [found] : [], revision };
  }
  const candidates = cache.list(selection.query);
  return cut(candidates, selection, { limit, revision, prefix: cache.options.prefix });
}

/** Takes a page from objects in key order. */
function cut(
  candidates: readonly StoredObject[],
  selection: Selection,
  { limit, revision, prefix }: { readonly limit: number; readonly revision: Revision; readonly prefix: string },
): Page {
  const everything = selection.selectsAll && !selection.query.field;
  if (limit <= 0 || candidates.length <= limit) {
    return { items: everything ? candidates : candidates.filter(selection.matches), revision };
  }
  const items: StoredObject[] = [];
  let next = 0;
  for (; next < candidates.length && items.length < limit; next++) {
    const candidate = candidates[next] as StoredObject;
    if (everything || selection.matches(candidate)) items.push(candidate);
  }
  const following = everything ? candidates[next] : candidates.slice(next).find(selection.matches);
  if (!following) return { items, revision };
  const startKey = (candidates[next] as StoredObject).key.slice(prefix.length);
  return {
    items,
    revision,
    continueToken: formatContinueToken({ revision, startKey }),
    ...(everything && { remaining: candidates.length - next }),
  };
}

async function continued(
  resource: ServedResource,
  selection: Selection,
  { limit, token }: { readonly limit: number; readonly token: ContinueToken },
): Promise<Page> {
  const { storage } = resource.stored;
  const { cache } = storage;
  const { prefix } = cache.options;
  // Tokens come from clients, which may have changed them.
  if (token.revision > cache.revision) await awaitFreshness(storage, token.revision);
  const unchanged = token.revision === -1 || cache.modifiedAt <= token.revision;
  if (!unchanged) return await asItWas(resource, selection, { limit, ...token });
  // A list whose objects are all unchanged expires too once its revision is compacted: clients rely on that.
  if (token.revision !== -1) await storage.requireHistory(token.revision);
  const revision = token.revision === -1 ? cache.revision : token.revision;
  const start = prefix + token.startKey;
  const candidates = cache.list(selection.query);
  return cut(candidates.slice(firstAtOrAfter(candidates, start)), selection, { limit, revision, prefix });
}

function firstAtOrAfter(candidates: readonly StoredObject[], key: string): number {
  let low = 0;
  let high = candidates.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((candidates[middle] as StoredObject).key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Uncached resources are read at the current revision of the store, unless the client requests an exact one. */
async function fromStore(resource: ServedResource, selection: Selection, options: ListOptions): Promise<Page> {
  const { storage } = resource.stored;
  const { resourceVersion, match, limit, continueToken } = options;
  const token = continueToken === '' ? { revision: -1, startKey: '' } : tokenIn(options);
  if (token.revision > 0) await awaitFreshness(storage, token.revision);
  let { revision } = token;
  if (revision === -1) revision = await storage.currentRevision();
  if (continueToken === '' && resourceVersion !== '' && resourceVersion !== '0') {
    const requestedRevision = parseRevision(resourceVersion, 'list');
    await awaitFreshness(storage, requestedRevision);
    if (match === 'Exact' || (match === '' && limit > 0)) revision = requestedRevision;
  }
  return await asItWas(resource, selection, { limit, revision, startKey: token.startKey });
}

/** Reads from the history of the store. */
async function asItWas(
  { stored }: ServedResource,
  selection: Selection,
  { limit, revision, startKey }: { readonly limit: number; readonly revision: Revision; readonly startKey: string },
): Promise<Page> {
  const { storage } = stored;
  const { prefix } = storage.cache.options;
  const root = selection.namespace === '' ? prefix : storage.key(selection.namespace, '');
  const start = startKey === '' ? root : prefix + startKey;
  if (!selection.selectsAll) {
    const matching = await matchingAt(stored.storage, selection, { root, start, revision, limit });
    return cut(matching, selection, { limit, revision, prefix });
  }
  const paged = limit > 0;
  const { items, count } = await storage.listAt(root, {
    revision,
    startKey: start,
    ...(paged && { limit: limit + 1 }),
  });
  const page = cut(items, selection, { limit, revision, prefix });
  return paged && page.remaining !== undefined ? { ...page, remaining: count - limit } : page;
}

const chunk = 500;

/** The selected objects, and one beyond the limit. Read in chunks, so that the others are not held in memory. */
async function matchingAt(
  storage: ResourceStorage,
  { matches }: Selection,
  { root, start, revision, limit }: { root: string; start: string; revision: Revision; limit: number },
): Promise<StoredObject[]> {
  const matching: StoredObject[] = [];
  const enough = limit > 0 ? limit + 1 : Number.POSITIVE_INFINITY;
  for (let startKey = start; ; await nextTurn()) {
    const { items, more } = await storage.listAt(root, { revision, startKey, limit: chunk });
    for (const item of items) if (matches(item)) matching.push(item);
    if (!more || matching.length >= enough) return matching;
    // The first key after the last one.
    startKey = `${items.at(-1)?.key ?? ''}\0`;
  }
}
