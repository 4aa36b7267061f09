import type { Millis } from '@coracle/base';

/** How long the work for a request may go on. */
export interface RequestLifetime {
  /** When it is answered with a timeout; absent if it has none. */
  readonly endsAt?: Millis | undefined;
  /** Aborts when the client has disconnected, the timeout has passed or the server stops. */
  readonly signal: AbortSignal;
}
