import type { Millis } from '@coracle/base';

/** Timeouts of clients: a client that sends a byte a minute must not occupy a connection without limit. */
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

/** The timeouts of kube-apiserver, which has none for silence. */
export const usualPatience: Patience = { headMs: 32_000, bodyMs: 60_000, idleMs: 90_000, silenceMs: 5_000 };
