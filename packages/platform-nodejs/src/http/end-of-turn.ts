/**
 * The end of a turn of the event loop, for all who wait for it in that turn.
 *
 * Answers that are sent one right after the other wake a client that waits for them once. Sent each as soon as it is
 * ready, they would wake it once each, and to wake a process that sleeps costs more than to make an answer.
 */
export class EndOfTurn {
  #next: Promise<void> | undefined;

  /** Those who wait go on in the order in which they came. */
  wait(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#next = undefined;
        resolve();
      });
    });
    return this.#next;
  }
}
