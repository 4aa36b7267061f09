import { type Clock, type Millis, nextPoll } from '@coracle/base';

/** Requests are dispatched for this long before sockets are looked at again. */
const longestTurnMs: Millis = 1;
/**
 * Of the requests that waited so many begin in one turn: about a millisecond of work if they are writes. Time alone does
 * not bound them, because what they do runs after all of them have been released.
 */
const mostReleased = 4;

/**
 * How long requests may be dispatched in one turn of the event loop. What is handled without waiting occupies the
 * thread and no seat is ever seen as taken: only between turns do the requests of other clients come in, so that fair
 * queues have something to choose from.
 */
export class TurnBudget {
  readonly #clock: Clock;
  readonly #waiting = new Set<{ dispatch(): void }>();
  #began: Millis | undefined;
  #released = 0;
  #number = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get number(): number {
    return this.#number;
  }

  hasTime(): boolean {
    const now = this.#clock.now();
    if (this.#began === undefined) {
      this.#began = now;
      void nextPoll().then(() => this.#renew());
    }
    return now - this.#began < longestTurnMs;
  }

  /** Whether one more of those who waited may begin; it counts if so. */
  release(): boolean {
    if (!this.hasTime() || this.#released >= mostReleased) return false;
    this.#released++;
    return true;
  }

  /** Goes on with these queues in the next turn. */
  later(queues: { dispatch(): void }): void {
    this.#waiting.add(queues);
  }

  #renew(): void {
    this.#began = undefined;
    this.#released = 0;
    this.#number++;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const queues of waiting) queues.dispatch();
  }
}
