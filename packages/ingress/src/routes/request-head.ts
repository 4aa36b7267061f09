export type HeaderPair = readonly [name: string, value: string];

/** The attributes of a request that routing uses. */
export interface RequestHead {
  readonly method: string;
  readonly scheme: 'http' | 'https';
  /** The host as the client sent it, with its port if it named one. */
  readonly authority: string;
  /** Without the query, and without dot segments: see `normalPath`. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: readonly HeaderPair[];
  /** The port of the listener, as Gateways name it: 80 and 443 for Ingress, wherever the edge listens. */
  readonly port: number;
  /** The server name of the TLS handshake (SNI). */
  readonly serverName?: string;
}

/**
 * A path without `.` and `..`, encoded or not. What is matched is what the backend gets: a client cannot pass by a rule
 * for `/admin` with `/public/../admin`.
 */
export function normalPath(path: string): string {
  if (!/(\/|%2f)(\.|%2e){1,2}(\/|%2f|$)/i.test(path)) return path;
  const result: string[] = [];
  const segments = path.split(/\/|%2f/i).slice(1);
  for (const [index, segment] of segments.entries()) {
    const plain = segment.replace(/%2e/gi, '.');
    if (plain === '..') result.pop();
    if (plain !== '.' && plain !== '..') result.push(segment);
    else if (index === segments.length - 1) result.push('');
  }
  return `/${result.join('/')}`;
}

/** The path and query of a request target; `undefined` for one that no server of HTTP has. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } | undefined {
  const own = target.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
  const [, path = '', query = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(own) ?? [];
  if (path === '' && own.startsWith('?')) return { path: '/', query };
  return path.startsWith('/') ? { path: normalPath(path), query } : undefined;
}
