import type { RequestHead } from './request-head.js';
import type { PathMatch, RouteMatch, ValueMatch } from './route.js';

/** Whether a request matches a route, apart from its host. */
export function matchesRequest(match: RouteMatch, head: RequestHead): boolean {
  if (match.method !== undefined && match.method !== head.method) return false;
  if (!matchesPath(match.path, head.path)) return false;
  return (
    match.headers.every((header) => hasHeader(head, header)) &&
    (match.query.length === 0 || hasParameters(head.query, match.query))
  );
}

/** A prefix counts in whole elements: `/foo` covers `/foo` and `/foo/bar`, and not `/foobar`. */
export function matchesPath({ type, value }: PathMatch, path: string): boolean {
  if (type === 'Exact') return path === value;
  const prefix = withoutSlash(value);
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');
}

export function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

/** A header that was sent several times is taken as one, its values joined by commas. */
function hasHeader({ headers }: RequestHead, { name, value }: ValueMatch): boolean {
  const values = headers.filter(([one]) => one.toLowerCase() === name).map(([, text]) => text);
  return values.length > 0 && values.join(',') === value;
}

/** Of a parameter that is there several times the first counts. */
function hasParameters(query: string, matches: readonly ValueMatch[]): boolean {
  const parameters = new URLSearchParams(query);
  return matches.every(({ name, value }) => parameters.get(name) === value);
}
