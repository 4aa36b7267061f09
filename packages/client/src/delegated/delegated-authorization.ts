import { refs } from '@coracle/api';
import type { Clock, Millis } from '@coracle/base';
import type { Client } from '../client.js';
import type { ReviewedUser } from './delegated-authentication.js';
import { ExpiringCache } from './expiring-cache.js';

/** The action to authorize, in the form of an access review. */
export type ReviewedAction =
  | { readonly nonResourceAttributes: { readonly path: string; readonly verb: string } }
  | {
      readonly resourceAttributes: {
        readonly verb: string;
        readonly group?: string;
        readonly version?: string;
        readonly resource: string;
        readonly subresource?: string;
        readonly namespace?: string;
        readonly name?: string;
      };
    };

/** Options of access reviews. */
export interface DelegatedAuthorizationOptions {
  /** Calls the API server with the credentials of the component. */
  readonly client: Client;
  readonly clock: Clock;
  /** TTL of cached decisions. */
  readonly cacheTtlMs?: Millis;
  /** TTL of cached denials, if it differs. */
  readonly cacheRefusalMs?: Millis;
}

/** Authorizes requests by SubjectAccessReviews. */
export function delegatedAuthorization(options: DelegatedAuthorizationOptions) {
  const { client, clock, cacheTtlMs = 10_000, cacheRefusalMs = cacheTtlMs } = options;
  const decisions = new ExpiringCache<boolean>(clock, (isAllowed) => (isAllowed ? cacheTtlMs : cacheRefusalMs));
  return (user: ReviewedUser, action: ReviewedAction): Promise<boolean> =>
    decisions.get(JSON.stringify([user, action]), async () => {
      const { groups, extra, ...rest } = user;
      const copied = extra && Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
      const spec = { ...rest, groups: [...groups], ...(copied && { extra: copied }), ...action };
      const review = await client.resource(refs.subjectAccessReviews).create({ metadata: {}, spec });
      return review.status?.allowed ?? false;
    });
}
