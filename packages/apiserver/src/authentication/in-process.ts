import type { Authenticator } from './authenticator.js';

/** A component in this process, which says itself who it is: nothing from a network can set `peer.user`. */
export const inProcess: Authenticator = {
  name: 'InProcess',
  authenticate({ peer }) {
    return peer?.user && { user: peer.user };
  },
};
