import type { ApiRequest } from '@coracle/apimachinery';

/** Why a request is rejected before it is processed, with the HTTP status. */
export interface GuardRefusal {
  readonly status: number;
  readonly message: string;
}

/** How requests of the dashboard's own page are distinguished from those of other sites. */
export interface RequestGuardOptions {
  /** The values of `Host` that mean us: `127.0.0.1:8001`, `localhost:8001`. */
  readonly hosts: ReadonlySet<string>;
  readonly scheme: 'http' | 'https';
}

/**
 * Refuses requests that another site makes a browser send, and those that reach us under a name that is not ours: a
 * name of another domain that resolves to this machine (DNS rebinding) has the other name in `Host`.
 */
export function refusalOf(request: ApiRequest, { hosts, scheme }: RequestGuardOptions): GuardRefusal | undefined {
  const { host, origin } = request.headers;
  if (host === undefined || !hosts.has(host.toLowerCase()))
    return { status: 421, message: `this server does not answer for ${JSON.stringify(host ?? '')}` };
  if (origin !== undefined && origin !== `${scheme}://${host.toLowerCase()}`)
    return { status: 403, message: `requests from ${JSON.stringify(origin)} are not allowed` };
  return undefined;
}

/** Whether a request that is no navigation comes from another site, as the browser says. */
export function isFromElsewhere({ headers }: ApiRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** The value of a cookie. */
export function cookieOf({ headers }: ApiRequest, name: string): string | undefined {
  for (const pair of (headers['cookie'] ?? '').split(';')) {
    const [key = '', ...value] = pair.trim().split('=');
    if (key === name) return value.join('=');
  }
  return undefined;
}
