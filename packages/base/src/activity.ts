import { disposable } from './disposables.js';

/**
 * Counts work under way, so that a cluster can say that it has come to rest.
 *
 * Whoever starts work that nobody awaits (a queue's worker with a key, a store
 * with a write on its way to disk) begins it here and disposes the result at
 * the end. Waiting for time to pass is not work.
 */
export class Activity {
  #count = 0;

  get busy(): boolean {
    return this.#count > 0;
  }

  begin(): Disposable {
    this.#count++;
    return disposable(() => void this.#count--);
  }
}
