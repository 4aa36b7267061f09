import { unauthorized } from '@coracle/apimachinery';
import type { Authenticator } from './authenticator.js';

/** Stands last where whoever shows no credential is turned away. */
export const noAnonymous: Authenticator = {
  name: 'NoAnonymous',
  authenticate() {
    throw unauthorized();
  },
};
