import type { Clock, Metrics } from '@coracle/base';
import { authenticateRequest } from '../authentication/authenticate.js';
import type { Authenticator } from '../authentication/authenticator.js';
import type { Filter } from '../handler-chain.js';
import type { UserInfo } from '../user-info.js';
import { AuthenticationCount } from './authentication-count.js';

/** Authenticates the request; an invalid credential is rejected with 401. */
export function authenticate(
  authenticators: readonly Authenticator[],
  deps: { readonly clock: Clock; readonly metrics: Metrics },
): Filter {
  const count = new AuthenticationCount(deps);
  return (next) => (context) => {
    const goOn = (user: UserInfo) => {
      count.success(context, user);
      context.user = user;
      context.trace?.step('apiserver.authenticate', { user: user.name });
      return next(context);
    };
    const giveUp = (error: unknown) => {
      count.failure(context, error);
      throw error;
    };
    let user: UserInfo | Promise<UserInfo>;
    try {
      user = authenticateRequest(authenticators, context.request);
    } catch (error) {
      return giveUp(error);
    }
    return user instanceof Promise ? user.then(goOn, giveUp) : goOn(user);
  };
}
