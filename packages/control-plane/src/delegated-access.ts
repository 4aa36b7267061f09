import { type ApiRequest, forbidden, unauthorized } from '@coracle/apimachinery';
import { exceptProxies, type RequestHeaderOptions, requestHeader } from '@coracle/apiserver';
import type { Clock } from '@coracle/base';
import { type Client, delegatedAuthentication, delegatedAuthorization, type ReviewedUser } from '@coracle/client';

/** Throws if the user of a request may not send it. */
export type Access = (request: ApiRequest) => Promise<void>;

export interface DelegatedAccessOptions {
  /** Reviews tokens, with the credentials of the component unless it was given others. */
  readonly client: Client;
  /** Reviews access; the same client unless stated. */
  readonly authorizationClient?: Client;
  /** Proxies that name users in headers; none unless stated. */
  readonly proxies?: RequestHeaderOptions;
  readonly clock: Clock;
  /** Paths that need no authorization, not even a reachable API server: `/healthz`. */
  readonly alwaysAllowed: readonly string[];
}

/** Authenticates and authorizes requests through the API server, as all Kubernetes components do. */
export function delegatedAccess(options: DelegatedAccessOptions): Access {
  const { client, authorizationClient = client, clock, alwaysAllowed, proxies } = options;
  const delegated = delegatedAuthentication({ client, clock, anonymous: true });
  const authenticate = proxies ? behindProxies(proxies, delegated) : delegated;
  const authorize = delegatedAuthorization({ client: authorizationClient, clock });
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

type Authenticate = (request: ApiRequest) => Promise<ReviewedUser | undefined>;

/** Users that an authenticating proxy names come before all others. Its certificate alone makes no user. */
function behindProxies(proxies: RequestHeaderOptions, authenticate: Authenticate): Authenticate {
  const named = requestHeader(proxies);
  const others = exceptProxies(proxies, { name: 'Delegated', authenticate: () => undefined });
  return async (request) => {
    const found = await named.authenticate(request);
    if (!found) {
      await others.authenticate(request);
      return await authenticate(request);
    }
    const { name, uid, groups, extra } = found.user;
    return { user: name, ...(uid && { uid }), groups: [...groups, 'system:authenticated'], ...(extra && { extra }) };
  };
}

const verbs: Readonly<Record<string, string>> = { GET: 'get', HEAD: 'get', POST: 'create', PUT: 'update' };

/** `/healthz` for itself alone, `/healthz/*` for what is below. */
function covers(allowed: string, path: string): boolean {
  return allowed.endsWith('/*') ? path.startsWith(allowed.slice(0, -1)) : path === allowed;
}
