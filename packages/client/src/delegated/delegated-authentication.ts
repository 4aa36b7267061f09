import { refs } from '@coracle/api';
import type { ApiRequest } from '@coracle/apimachinery';
import type { Clock, Millis } from '@coracle/base';
import type { Client } from '../client.js';
import { ExpiringCache } from './expiring-cache.js';

/** The user of a request, as in access reviews. */
export interface ReviewedUser {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Options of token review. */
export interface DelegatedAuthenticationOptions {
  /** Calls the API server with the credentials of the component. */
  readonly client: Client;
  readonly clock: Clock;
  /** Whether requests without credentials are accepted as `system:anonymous`. */
  readonly anonymous: boolean;
  /** Whether tokens are reviewed; true by default. Otherwise no token is valid. */
  readonly reviewsTokens?: boolean;
  /** TTL of cached token reviews. */
  readonly cacheTtlMs?: Millis;
}

const anonymousUser: ReviewedUser = { user: 'system:anonymous', groups: ['system:unauthenticated'] };

/**
 * Authenticates users by client certificate, or by a token that the API server reviews. `undefined` if neither is
 * valid.
 */
export function delegatedAuthentication({
  client,
  clock,
  anonymous,
  reviewsTokens = true,
  cacheTtlMs = 10_000,
}: DelegatedAuthenticationOptions) {
  const reviews = new ExpiringCache<ReviewedUser | undefined>(clock, cacheTtlMs);
  return async ({ headers, peer }: ApiRequest): Promise<ReviewedUser | undefined> => {
    if (peer?.user) return inProcess(peer.user);
    if (peer?.certificate) {
      const { commonName, organizations } = peer.certificate;
      return { user: commonName, groups: [...organizations, 'system:authenticated'] };
    }
    const authorization = headers['authorization'];
    if (authorization === undefined || !reviewsTokens) return anonymous ? anonymousUser : undefined;
    const [, token] = /^Bearer (\S+)$/i.exec(authorization) ?? [];
    return token === undefined ? undefined : reviews.get(token, () => reviewToken(client, token));
  };
}

/** Only code in this process can set the user. */
function inProcess({ name, uid, groups }: NonNullable<NonNullable<ApiRequest['peer']>['user']>): ReviewedUser {
  return { user: name, ...(uid && { uid }), groups };
}

async function reviewToken(client: Client, token: string): Promise<ReviewedUser | undefined> {
  const { status } = await client.resource(refs.tokenReviews).create({ metadata: {}, spec: { token } });
  if (!status?.authenticated || !status.user) return undefined;
  const { username = '', uid, groups = [], extra } = status.user;
  return { user: username, ...(uid && { uid }), groups, ...(extra && { extra }) };
}
