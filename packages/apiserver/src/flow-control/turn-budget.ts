import { type Clock, type Millis, nextTurn } from '@coracle/base';

/** Requests are dispatched for this long before sockets are looked at again. */
const longestTurnMs: Millis = 1;

/**
 * How long requests may be dispatched in one turn of the event loop. What is handled without waiting occupies the
 * thread and no seat is ever seen as taken: only between turns do the requests of other clients come in, so that fair
 * queues have something to choose from.
 */
export class TurnBudget {
  readonly #clock: Clock;
  readonly #waiting = new Set<{ dispatch(): void }>();
  #began: Millis | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  hasTime(): boolean {
    const now = this.#clock.now();
    if (this.#began === undefined) {
      this.#began = now;
      void nextTurn().then(() => this.#renew());
    }
    return now - this.#began < longestTurnMs;
  }

  /** Goes on with these queues in the next turn. */
  later(queues: { dispatch(): void }): void {
    this.#waiting.add(queues);
  }

  #renew(): void {
    this.#began = undefined;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const queues of waiting) queues.dispatch();
  }
}
