import { hostNameOf } from '../routes/host-name.js';
import { withoutSlash } from '../routes/match-request.js';
import type { HeaderPair, RequestHead } from '../routes/request-head.js';
import type { HeaderModifier, PathModifier, RouteFilter, RouteMatch } from '../routes/route.js';

/** Sets, then adds, then removes. */
export function modifyHeaders(headers: readonly HeaderPair[], modifier: HeaderModifier): HeaderPair[] {
  const gone = new Set([...modifier.set.map(({ name }) => name), ...modifier.remove]);
  const remaining = headers.filter(([name]) => !gone.has(name.toLowerCase()));
  const set = modifier.set.filter(({ name }) => !modifier.remove.includes(name));
  return [...remaining, ...[...set, ...modifier.add].map(({ name, value }): HeaderPair => [name, value])];
}

/** The request as the backend gets it. */
export function rewriteRequest(head: RequestHead, filters: readonly RouteFilter[], match: RouteMatch): RequestHead {
  let next = head;
  for (const filter of filters) {
    if (filter.type === 'RequestHeaderModifier')
      next = { ...next, headers: modifyHeaders(next.headers, filter.modifier) };
    if (filter.type !== 'URLRewrite') continue;
    const path = filter.path ? changePath(next.path, filter.path, match) : next.path;
    next = { ...next, path, authority: filter.hostname ?? next.authority };
  }
  return next;
}

function changePath(path: string, modifier: PathModifier, { path: matched }: RouteMatch): string {
  if (modifier.type === 'ReplaceFullPath') return modifier.value;
  const rest = path.slice(withoutSlash(matched.value).length);
  return `${withoutSlash(modifier.value)}${rest}` || '/';
}

const usualPorts: Readonly<Record<string, number>> = { http: 80, https: 443 };

/** The location of a redirect: parts that it does not set are those of the request. */
export function redirectLocation(
  head: RequestHead,
  filter: Extract<RouteFilter, { readonly type: 'RequestRedirect' }>,
  match: RouteMatch,
): string {
  const scheme = filter.scheme?.toLowerCase() ?? head.scheme;
  const port = filter.port ?? (filter.scheme ? usualPorts[scheme] : head.port);
  const host = filter.hostname ?? hostNameOf(head.authority);
  const path = filter.path ? changePath(head.path, filter.path, match) : head.path;
  const suffix = port === undefined || port === usualPorts[scheme] ? '' : `:${port}`;
  return `${scheme}://${host}${suffix}${path}${head.query ? `?${head.query}` : ''}`;
}
