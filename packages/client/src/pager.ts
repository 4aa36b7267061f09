import { type KubeList, reasonOf } from '@coracle/apimachinery';
import type { ListOptions } from './resource-client.js';

/** Default page size, as in client-go. */
export const defaultPageSize = 500;

export type ListPage<T> = (options: ListOptions) => Promise<KubeList<T>>;

/**
 * A list in pages that together are one snapshot.
 *
 * Fails with `Expired` when the server has compacted the snapshot meanwhile: the pages so far are then useless for
 * callers that need a complete list, which start again (as `listInPages` does).
 */
export async function* listPages<T>(
  list: ListPage<T>,
  options: ListOptions & { readonly pageSize?: number },
): AsyncIterable<KubeList<T>> {
  const { pageSize = defaultPageSize, ...query } = options;
  let next = query.continue;
  do {
    const page = await list(pageQuery(query, { limit: pageSize, next }));
    yield page;
    next = page.metadata.continue;
  } while (next);
}

/** The whole list. If a page expires, one full list is requested, so the result is always one snapshot. */
export async function listInPages<T>(list: ListPage<T>, options: ListOptions): Promise<KubeList<T>> {
  const items: T[] = [];
  let last: KubeList<T> | undefined;
  try {
    for await (const page of listPages(list, options)) {
      for (const item of page.items) items.push(item);
      last = page;
    }
  } catch (error) {
    if (reasonOf(error) !== 'Expired' || !last) throw error;
    const { limit: _limit, continue: _next, ...whole } = options;
    return list(whole);
  }
  return { metadata: {}, ...last, items };
}

function pageQuery(query: ListOptions, { limit, next }: { limit: number; next: string | undefined }): ListOptions {
  if (!next) return { ...query, limit };
  // A continue token contains its resourceVersion; the server rejects another one with it.
  const { resourceVersion: _version, resourceVersionMatch: _match, ...rest } = query;
  return { ...rest, limit, continue: next };
}
