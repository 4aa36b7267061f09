import { unauthorized } from '@coracle/apimachinery';
import type { Authenticator } from './authenticator.js';

/** Stands last where a request that shows no credential is turned away. */
export const noAnonymous: Authenticator = anonymousAt([]);

/** Stands last where a request that shows no credential is let in at these paths alone, each as it is written. */
export function anonymousAt(paths: readonly string[]): Authenticator {
  return {
    name: 'AnonymousPaths',
    authenticate({ path }) {
      if (!paths.includes(path)) throw unauthorized();
      return undefined;
    },
  };
}
