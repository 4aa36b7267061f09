import { authenticateRequest } from '../authentication/authenticate.js';
import type { Authenticator } from '../authentication/authenticator.js';
import type { Filter } from '../handler-chain.js';
import type { UserInfo } from '../user-info.js';

/** Finds out who makes the request. A bad credential ends it here with 401. */
export function authenticate(authenticators: readonly Authenticator[]): Filter {
  return (next) => (context) => {
    const user = authenticateRequest(authenticators, context.request);
    const goOn = (known: UserInfo) => {
      context.user = known;
      context.trace?.step('apiserver.authenticate', { user: known.name });
      return next(context);
    };
    return user instanceof Promise ? user.then(goOn) : goOn(user);
  };
}
