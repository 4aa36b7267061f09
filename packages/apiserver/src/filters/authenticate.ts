import { authenticateRequest } from '../authentication/authenticate.js';
import type { Authenticator } from '../authentication/authenticator.js';
import type { Filter } from '../handler-chain.js';

/** Finds out who makes the request. A bad credential ends it here with 401. */
export function authenticate(authenticators: readonly Authenticator[]): Filter {
  return (next) => (context) => {
    const user = authenticateRequest(authenticators, context.request);
    if (!(user instanceof Promise)) {
      context.user = user;
      return next(context);
    }
    return user.then((known) => {
      context.user = known;
      return next(context);
    });
  };
}
