import { disposable } from './disposables.js';

/**
 * Counts work in progress, so that a cluster can report that it is idle.
 *
 * Code that starts work that is not awaited (a queue's worker with a key, a store
 * with a write in progress) begins it here and disposes the result at
 * the end. Waiting for the clock is not work: code that does so while others may
 * wait for its result declares it with `awaitTime`.
 */
export class Activity {
  readonly #whole: Activity | undefined;
  #count = 0;
  /** Of these, the operations outside of the event loop. */
  #outside = 0;
  #awaitingTime = 0;
  #changes = 0;
  #waiting: (() => void)[] = [];

  /** Work that is counted here is work of the `whole` too. */
  constructor(whole?: Activity) {
    this.#whole = whole;
  }

  /** What this is a part of, or itself: for work that the rest of the part does not have to wait for. */
  get whole(): Activity {
    return this.#whole ?? this;
  }

  get busy(): boolean {
    return this.#count > 0;
  }

  /**
   * True if all work in progress may wait for the clock: something that it may depend on does, and no operation runs
   * outside of the event loop. `changes` shows after some turns whether it does.
   */
  get mayAwaitTime(): boolean {
    return this.#awaitingTime > 0 && this.#outside === 0;
  }

  /** Grows whenever work begins or ends. */
  get changes(): number {
    return this.#changes;
  }

  begin(): Disposable {
    this.#add(1);
    return disposable(() => this.#add(-1));
  }

  /** Operations outside of the event loop that need no clock time: a write to a disk. */
  beginOutside(): Disposable {
    this.#addOutside(1);
    return disposable(() => this.#addOutside(-1));
  }

  /** For as long as the result is not disposed, something waits for time that work may be waiting for in turn. */
  awaitTime(): Disposable {
    this.#addAwaitingTime(1);
    return disposable(() => this.#addAwaitingTime(-1));
  }

  /** Work that is over when the call is. */
  during(work: () => void): void {
    this.#add(1);
    try {
      work();
    } finally {
      this.#add(-1);
    }
  }

  /** Resolves when no work is in progress, if only for a moment. */
  rest(): Promise<void> {
    return new Promise((resolve) => {
      if (this.busy) this.#waiting.push(resolve);
      else resolve();
    });
  }

  #addOutside(change: number): void {
    for (let one: Activity | undefined = this; one; one = one.#whole) one.#outside += change;
    this.#add(change);
  }

  #addAwaitingTime(change: number): void {
    for (let one: Activity | undefined = this; one; one = one.#whole) {
      one.#awaitingTime += change;
      one.#changes++;
    }
  }

  #add(change: number): void {
    this.#count += change;
    this.#changes++;
    if (this.#whole) this.#whole.#add(change);
    if (this.#count > 0 || this.#waiting.length === 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
