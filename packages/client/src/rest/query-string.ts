/** A query string from the fields that are set, without the question mark. An empty string or `false` is left out. */
export function queryString(fields: Readonly<Record<string, string | number | boolean | undefined>>): string {
  let query = '';
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined || value === '' || value === false) continue;
    query += `${query === '' ? '' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return query;
}
