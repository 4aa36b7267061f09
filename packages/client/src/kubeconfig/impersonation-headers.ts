import type { Impersonation } from './connection.js';

/** The impersonation headers, in lower case; a list is sent as several headers. */
export function impersonationHeaders({ user, uid, groups, extra }: Impersonation): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { 'impersonate-user': user };
  if (uid) headers['impersonate-uid'] = uid;
  if (groups?.length) headers['impersonate-group'] = [...groups];
  for (const [key, values] of Object.entries(extra ?? {}))
    headers[`impersonate-extra-${escapeName(key)}`] = [...values];
  return headers;
}

/** A header's name takes few letters; the others are percent-encoded, and the percent sign with them. */
function escapeName(key: string): string {
  let name = '';
  for (const byte of new TextEncoder().encode(key)) {
    const letter = String.fromCharCode(byte);
    name += /[a-z0-9!#$&'*+.^_`|~-]/.test(letter) ? letter : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return name;
}
