import { type Clock, type Millis, monotonicNow } from '@coracle/base';
import type { Transport } from '../transport.js';

/**
 * The time in which a leader may act.
 *
 * A process that was stopped for a while first handles what has arrived on its sockets meanwhile, and only then the timer
 * that ends its term. What it would write in between is refused here: another may lead by then.
 */
export class Term {
  readonly #clock: Clock;
  #endsAt: Millis | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** For `onRenewed` of the election. */
  readonly renewed = (endsAt: Millis): void => {
    this.#endsAt = endsAt;
  };

  /** The same transport for the work of the leader. */
  readonly wrap = (transport: Transport): Transport => {
    const { connect } = transport;
    return {
      exchange: (request) =>
        request.method !== 'GET' && this.#isOver
          ? Promise.reject(new Error('this process does not hold the lease of the leader any more'))
          : transport.exchange(request),
      ...(connect && { connect: (request) => connect(request) }),
    };
  };

  get #isOver(): boolean {
    return this.#endsAt !== undefined && monotonicNow(this.#clock) >= this.#endsAt;
  }
}
