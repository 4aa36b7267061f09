import type { ApiRequest } from '@coracle/apimachinery';
import type { UserInfo } from '../user-info.js';
import { anonymous } from '../user-info.js';
import type { Authenticated, Authenticator } from './authenticator.js';

const authenticatedGroup = 'system:authenticated';

/**
 * Authenticates a request: the first authenticator that accepts a credential decides. After an invalid credential the
 * other authenticators are tried; if none accepts, its error is thrown. Without a credential the user is anonymous.
 */
export function authenticateRequest(
  authenticators: readonly Authenticator[],
  request: ApiRequest,
  failure?: { readonly error: unknown },
): UserInfo | Promise<UserInfo> {
  let failed = failure;
  for (let i = 0; i < authenticators.length; i++) {
    try {
      const outcome = (authenticators[i] as Authenticator).authenticate(request);
      if (outcome instanceof Promise) {
        const others = authenticators.slice(i + 1);
        const before = failed;
        return outcome.then(
          (authenticated) =>
            authenticated ? withAuthenticatedGroup(authenticated) : authenticateRequest(others, request, before),
          (error: unknown) => authenticateRequest(others, request, before ?? { error }),
        );
      }
      if (outcome !== undefined) return withAuthenticatedGroup(outcome);
    } catch (error) {
      failed ??= { error };
    }
  }
  if (failed) throw failed.error;
  return anonymous;
}

/** One user object for each result of an authenticator, so that decisions can be cached by identity. */
const users = new WeakMap<Authenticated | UserInfo, UserInfo>();

function withAuthenticatedGroup({ user }: Authenticated): UserInfo {
  const userInfo = users.get(user);
  if (userInfo) return userInfo;
  const groups = user.groups;
  const settled =
    user.name === anonymous.name || groups.includes(authenticatedGroup)
      ? user
      : { ...user, groups: [...groups, authenticatedGroup] };
  users.set(user, settled);
  return settled;
}
