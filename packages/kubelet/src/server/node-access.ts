import type { ApiRequest, ApiResponse } from '@coracle/apimachinery';
import type { Clock } from '@coracle/base';
import { type Client, delegatedAuthentication, delegatedAuthorization } from '@coracle/client';
import { defaultSettings, type KubeletAuthentication, type KubeletAuthorization } from '../settings.js';
import { textResponse } from '../streaming/refusal.js';

/** Returns the rejection, if the user of a request is not allowed. */
export type NodeAccess = (request: ApiRequest) => Promise<ApiResponse | undefined>;

export interface NodeAccessOptions {
  /** Calls the API server with the credentials of the node. */
  readonly client: Client;
  readonly clock: Clock;
  readonly nodeName: string;
  /** The default settings if absent. */
  readonly authentication?: KubeletAuthentication | undefined;
  readonly authorization?: KubeletAuthorization | undefined;
}

/** Authenticates users by certificate or token, and authorizes them by the API server for subresources of the node. */
export function nodeAccess(options: NodeAccessOptions): NodeAccess {
  const { client, clock, nodeName } = options;
  const { authentication = defaultSettings.authentication, authorization = defaultSettings.authorization } = options;
  const authenticate = delegatedAuthentication({
    client,
    clock,
    anonymous: authentication.anonymous.enabled,
    reviewsTokens: authentication.webhook.enabled,
    cacheTtlMs: authentication.webhook.cacheTTL,
  });
  const { mode, webhook } = authorization;
  const { cacheAuthorizedTTL: cacheTtlMs, cacheUnauthorizedTTL: cacheRefusalMs } = webhook;
  const authorize = delegatedAuthorization({ client, clock, cacheTtlMs, cacheRefusalMs });
  return async (request) => {
    const user = await authenticate(request);
    if (!user) return textResponse(401, 'Unauthorized');
    if (mode === 'AlwaysAllow') return undefined;
    const verb = verbs[request.method] ?? request.method.toLowerCase();
    const subresources = subresourcesOf(request.path);
    for (const subresource of subresources) {
      const resourceAttributes = { verb, group: '', version: 'v1', resource: 'nodes', subresource, name: nodeName };
      if (await authorize(user, { resourceAttributes })) return undefined;
    }
    const about = `user=${user.user}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(' ')}]`;
    return textResponse(403, `Forbidden (${about})\n`);
  };
}

const verbs: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** The subresource of the node for a path; `proxy` for all others. */
const coarse: readonly (readonly [string, string])[] = [
  ['/stats', 'stats'],
  ['/metrics', 'metrics'],
  ['/logs', 'log'],
  ['/checkpoint', 'checkpoint'],
  ['/spec', 'spec'],
];

/** Paths that a permission for either the specific subresource or `proxy` allows. */
const fine: readonly (readonly [string, string])[] = [
  ['/healthz', 'healthz'],
  ['/pods', 'pods'],
  ['/runningpods', 'pods'],
  ['/configz', 'configz'],
];

/** Any of these is sufficient, in the order in which they are checked. */
export function subresourcesOf(path: string): readonly string[] {
  const within = ([prefix]: readonly [string, string]) => path === prefix || path.startsWith(`${prefix}/`);
  const [, subresource] = coarse.find(within) ?? [];
  if (subresource !== undefined) return [subresource];
  const [, own] = fine.find(within) ?? [];
  return own === undefined ? ['proxy'] : [own, 'proxy'];
}
