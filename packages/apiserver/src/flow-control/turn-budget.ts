import { type Clock, type Millis, monotonicNow, nextPoll } from '@coracle/base';

/** Time for which requests are dispatched before the event loop polls sockets again. */
const longestTurnMs: Millis = 1;
/**
 * Maximum number of waiting requests that start in one turn: less than a millisecond of work if they are writes. A time
 * limit alone does not bound them, because they execute after all of them have been released.
 */
const mostReleased = 2;
/**
 * Maximum number of responses sent in one turn: one commit completes many writes at once, and each response has to be
 * encrypted.
 */
const mostAnswered = 1;

/** Time for which turns are limited after requests of two users overlapped. */
const sharedForMs: Millis = 1_000;

/**
 * Limits the time for dispatching requests in one turn of the event loop, and the number of responses, while several
 * users compete: requests of one came while those of another ran or waited. There is no limit for a
 * single user, because turns cost time.
 *
 * Requests that are handled synchronously occupy the thread, so that no seat ever appears to be taken. Requests of other
 * clients are read only between turns; only then can fair queues choose between clients.
 */
export class TurnBudget {
  readonly #clock: Clock;
  readonly #waiting = new Set<{ dispatch(): void }>();
  readonly #answers: (() => void)[] = [];
  #began: Millis | undefined;
  #released = 0;
  #answered = 0;
  #number = 0;
  #lastUser: string | undefined;
  /** Number of requests that wait or run. */
  #present = 0;
  #sharedUntil: Millis = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get number(): number {
    return this.#number;
  }

  /** Records the user of each request. */
  seen(user: string): void {
    if (user === this.#lastUser) return;
    if (this.#present > 0) this.#sharedUntil = monotonicNow(this.#clock) + sharedForMs;
    this.#lastUser = user;
  }

  /** Counts a request that starts waiting or running. */
  enter(): void {
    this.#present++;
  }

  /** The request has ended, or waits no more. */
  leave(): void {
    this.#present--;
  }

  hasTime(now: Millis): boolean {
    return now >= this.#sharedUntil || now - this.#begin(now) < longestTurnMs;
  }

  /** Whether one more waiting request may start; counts it if so. */
  release(): boolean {
    const now = monotonicNow(this.#clock);
    if (now >= this.#sharedUntil) return true;
    if (!this.hasTime(now) || this.#released >= mostReleased) return false;
    this.#released++;
    return true;
  }

  /** Continues with these queues in the next turn. */
  later(queues: { dispatch(): void }): void {
    this.#waiting.add(queues);
  }

  /** Resolves when one more response may be sent; `undefined` if it may be sent in this turn. */
  answer(): Promise<void> | undefined {
    const now = monotonicNow(this.#clock);
    if (now >= this.#sharedUntil && this.#answers.length === 0) return undefined;
    this.#begin(now);
    if (this.#answers.length > 0 || this.#answered >= mostAnswered)
      return new Promise((resolve) => this.#answers.push(resolve));
    this.#answered++;
    return undefined;
  }

  #begin(now: Millis): Millis {
    if (this.#began === undefined) {
      this.#began = now;
      const polled = this.#clock.nextPoll?.() ?? nextPoll();
      void polled.then(() => this.#renew());
    }
    return this.#began;
  }

  #renew(): void {
    this.#began = undefined;
    this.#released = 0;
    this.#number++;
    const answers = this.#answers.splice(0, mostAnswered);
    this.#answered = answers.length;
    if (answers.length > 0) this.#begin(monotonicNow(this.#clock));
    for (const send of answers) send();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const queues of waiting) queues.dispatch();
  }
}
