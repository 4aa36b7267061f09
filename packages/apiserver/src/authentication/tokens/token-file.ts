import type { Authenticated } from '../authenticator.js';
import type { TokenAuthenticator } from '../bearer-token.js';

/**
 * Static tokens, a line each: `token,user,uid,"group1,group2"`. The groups may be left out.
 * Throws on a line that cannot be meant so, with its number.
 */
export function tokenFile(text: string): TokenAuthenticator {
  const users = new Map<string, Authenticated>();
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === '') return;
    const [token, name, uid, groups = ''] = splitCsv(line);
    if (name === undefined || uid === undefined)
      throw new Error(`token file, line ${index + 1}: at least token, user name and user uid are needed`);
    // An empty token must never authenticate.
    if (!token) return;
    const list = groups.split(',').filter((group) => group !== '');
    users.set(token, { user: { name, ...(uid && { uid }), groups: list } });
  });
  return { name: 'TokenFile', authenticateToken: (token) => users.get(token) };
}

/** Fields of a line, with quotes around those that hold commas; two quotes inside quotes stand for one. */
function splitCsv(line: string): string[] {
  const fields: string[] = [];
  for (const [, quoted, plain] of line.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g)) {
    fields.push((quoted?.replaceAll('""', '"') ?? plain ?? '').trim());
  }
  // The pattern also matches the empty text behind the last field.
  if (!line.trimEnd().endsWith(',')) fields.pop();
  return fields;
}
