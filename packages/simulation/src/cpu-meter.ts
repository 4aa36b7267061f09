import type { Millis } from '@coracle/base';

/** Accumulates the CPU time of a container whose usage changes: between two measurements the first one counts. */
export class CpuMeter {
  #at: Millis | undefined;
  #cores = 0;
  #coreMs = 0;

  /** In nanoseconds since the start. */
  read(cores: number, startedAtMs: Millis, now: Millis): number {
    if (this.#at === undefined) this.#cores = cores;
    this.#coreMs += this.#cores * Math.max(0, now - (this.#at ?? startedAtMs));
    this.#at = now;
    this.#cores = cores;
    return Math.round(this.#coreMs * 1e6);
  }
}
