import { unauthorized } from '@coracle/apimachinery';
import type { Authenticator } from './authenticator.js';

/** The last authenticator where requests without credentials are rejected. */
export const noAnonymous: Authenticator = anonymousAt([]);

/** The last authenticator where anonymous requests are allowed at these exact paths only. */
export function anonymousAt(paths: readonly string[]): Authenticator {
  return {
    name: 'AnonymousPaths',
    authenticate({ path }) {
      if (!paths.includes(path)) throw unauthorized();
      return undefined;
    },
  };
}
