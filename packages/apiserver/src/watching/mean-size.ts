/** Weight of older values in the mean. */
const memory = 100;

/** The mean size of recent values, in bytes. */
export class MeanSize {
  #mean = 0;
  #count = 0;

  get bytes(): number {
    return this.#mean;
  }

  observe(bytes: number): void {
    if (this.#count < memory) this.#count++;
    this.#mean += (bytes - this.#mean) / this.#count;
  }
}
