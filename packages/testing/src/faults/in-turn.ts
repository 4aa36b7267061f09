import type { Faults } from './faults.js';

/**
 * Steps one after the other, each perhaps delayed. Without a delay, and with nothing before it, a step is taken at
 * once.
 */
export class InTurn {
  readonly #faults: Faults;
  #last: Promise<void> | undefined;

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  take(step: () => void): void {
    if (!this.#last && !this.#faults.happens('delay')) {
      step();
      return;
    }
    const own: Promise<void> = (this.#last ?? Promise.resolve())
      .then(() => this.#faults.pause())
      .then(() => {
        if (this.#last === own) this.#last = undefined;
        step();
      });
    this.#last = own;
  }
}
