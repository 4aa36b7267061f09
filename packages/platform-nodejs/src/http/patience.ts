import type { Millis } from '@coracle/base';

/**
 * How long a client may keep the server waiting: a client that sends a byte a minute must not hold a connection without
 * limit.
 */
export interface Patience {
  /** For the handshake, and for the head of a request. */
  readonly headMs: Millis;
  /** For the body of a request. */
  readonly bodyMs: Millis;
  /** For the next request on an idle connection. */
  readonly idleMs: Millis;
  /** Silence on an HTTP/2 connection before a ping is sent, and the timeout of its response. */
  readonly silenceMs: Millis;
}

/** That of kube-apiserver, which has no word about silence. */
export const usualPatience: Patience = { headMs: 32_000, bodyMs: 60_000, idleMs: 90_000, silenceMs: 5_000 };
