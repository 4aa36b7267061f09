import type { Authenticator } from './authenticator.js';

/** A component in this process, which sets its user itself: no request from a network can set `peer.user`. */
export const inProcess: Authenticator = {
  name: 'InProcess',
  authenticate({ peer }) {
    return peer?.user && { user: peer.user };
  },
};
