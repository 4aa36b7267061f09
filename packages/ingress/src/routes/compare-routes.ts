import { compareHosts } from './host-name.js';
import { withoutSlash } from './match-request.js';
import type { Route } from './route.js';

/**
 * Which of two routes that match a request has precedence, by the rules of the Gateway API, with which those of Ingress
 * agree: the narrower host, an exact path, the longer prefix, a method, more headers, more query parameters, the older
 * object, the name, the position. Default backends come last.
 */
export function compareRoutes(a: Route, b: Route): number {
  return (
    Number(a.isDefault) - Number(b.isDefault) ||
    compareHosts(a.hostname, b.hostname) ||
    Number(b.match.path.type === 'Exact') - Number(a.match.path.type === 'Exact') ||
    withoutSlash(b.match.path.value).length - withoutSlash(a.match.path.value).length ||
    Number(b.match.method !== undefined) - Number(a.match.method !== undefined) ||
    b.match.headers.length - a.match.headers.length ||
    b.match.query.length - a.match.query.length ||
    Number(a.yields ?? false) - Number(b.yields ?? false) ||
    compareTexts(a.origin.createdAt, b.origin.createdAt) ||
    compareTexts(a.origin.key, b.origin.key) ||
    a.origin.rule - b.origin.rule
  );
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
