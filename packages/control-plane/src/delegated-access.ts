import { type ApiRequest, forbidden, unauthorized } from '@coracle/apimachinery';
import type { Clock } from '@coracle/base';
import { type Client, delegatedAuthentication, delegatedAuthorization } from '@coracle/client';

/** Throws if the user of a request may not send it. */
export type Access = (request: ApiRequest) => Promise<void>;

export interface DelegatedAccessOptions {
  /** Calls the API server with the credentials of the component. */
  readonly client: Client;
  readonly clock: Clock;
  /** Paths that need no authorization, not even a reachable API server: `/healthz`. */
  readonly alwaysAllowed: readonly string[];
}

/** Lets in users whom the API server knows and allows the path, as all Kubernetes components do. */
export function delegatedAccess({ client, clock, alwaysAllowed }: DelegatedAccessOptions): Access {
  const authenticate = delegatedAuthentication({ client, clock, anonymous: true });
  const authorize = delegatedAuthorization({ client, clock });
  return async (request) => {
    if (alwaysAllowed.some((path) => covers(path, request.path))) return;
    const user = await authenticate(request);
    if (!user) throw unauthorized();
    const verb = verbs[request.method] ?? request.method.toLowerCase();
    if (await authorize(user, { nonResourceAttributes: { path: request.path, verb } })) return;
    const why = `User ${JSON.stringify(user.user)} cannot ${verb} path ${JSON.stringify(request.path)}`;
    throw forbidden({ group: '', resource: '' }, '', why);
  };
}

const verbs: Readonly<Record<string, string>> = { GET: 'get', HEAD: 'get', POST: 'create', PUT: 'update' };

/** `/healthz` for itself alone, `/healthz/*` for what is below. */
function covers(allowed: string, path: string): boolean {
  return allowed.endsWith('/*') ? path.startsWith(allowed.slice(0, -1)) : path === allowed;
}
