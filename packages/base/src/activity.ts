import { disposable } from './disposables.js';

/**
 * Counts work under way, so that a cluster can say that it has come to rest.
 *
 * Whoever starts work that nobody awaits (a queue's worker with a key, a store
 * with a write on its way to disk) begins it here and disposes the result at
 * the end. Waiting for time to pass is not work.
 */
export class Activity {
  readonly #whole: Activity | undefined;
  #count = 0;
  #waiting: (() => void)[] = [];

  /** Work that is counted here is work of the `whole` too. */
  constructor(whole?: Activity) {
    this.#whole = whole;
  }

  /** What this is a part of, or itself: for work that nobody else of the part has to wait for. */
  get whole(): Activity {
    return this.#whole ?? this;
  }

  get busy(): boolean {
    return this.#count > 0;
  }

  begin(): Disposable {
    this.#add(1);
    return disposable(() => this.#add(-1));
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

  /** Resolves when nothing is under way, if only for a moment. */
  rest(): Promise<void> {
    return new Promise((resolve) => {
      if (this.busy) this.#waiting.push(resolve);
      else resolve();
    });
  }

  #add(change: number): void {
    this.#count += change;
    if (this.#whole) this.#whole.#add(change);
    if (this.#count > 0 || this.#waiting.length === 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
