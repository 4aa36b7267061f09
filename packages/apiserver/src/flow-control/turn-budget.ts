import { type Clock, type Millis, monotonicNow, nextPoll } from '@coracle/base';

/** Requests are dispatched for this long before sockets are looked at again. */
const longestTurnMs: Millis = 1;
/**
 * Of the requests that waited so many begin in one turn: less than a millisecond of work if they are writes. Time alone
 * does not bound them, because what they do runs after all of them have been released.
 */
const mostReleased = 2;
/** So many answers are sent in one turn: one commit ends many writes at once, and each of them has an answer to encrypt. */
const mostAnswered = 1;

/** For so long after requests of two users met, turns are shared. */
const sharedForMs: Millis = 1_000;

/**
 * How long requests may be dispatched in one turn of the event loop, and how many answered, while several users compete:
 * requests of one came while those of another ran or waited. A single user competes with no other, and turns cost time.
 *
 * What is handled without waiting occupies the thread and no seat is ever seen as taken: only between turns do the
 * requests of other clients come in, so that fair queues have something to choose from.
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
  /** Requests that wait or run. */
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

  /** A request waits or runs from now on. */
  enter(): void {
    this.#present++;
  }

  /** It has ended, or waits no more. */
  leave(): void {
    this.#present--;
  }

  hasTime(now: Millis): boolean {
    return now >= this.#sharedUntil || now - this.#begin(now) < longestTurnMs;
  }

  /** Whether one more waiting request may begin; it counts if so. */
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

  /** Resolves when one more answer may be sent; `undefined` if it may be sent in this turn. */
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
