import type { ApiResponse } from '@coracle/apimachinery';

/** One entry of a list of entity tags, with the separators before it. */
const nextTag = /[\s,]*(?:(?<any>\*)|(?:W\/)?(?<tag>"[\x21\x23-\x7e\x80-\xff]*"))/y;

/**
 * Whether an `If-None-Match` header names the tag of a document. Compares as Go's file server does: weak tags equal
 * strong ones, `*` matches any, and an invalid tag ends the list.
 */
export function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  nextTag.lastIndex = 0;
  for (let found = nextTag.exec(header); found; found = nextTag.exec(header))
    if (found.groups?.['any'] !== undefined || found.groups?.['tag'] === etag) return true;
  return false;
}

/** Headers without those that describe the omitted body. */
export function notModified({ 'content-type': _type, ...headers }: ApiResponse['headers']): ApiResponse {
  return { status: 304, headers, body: { kind: 'empty' } };
}
