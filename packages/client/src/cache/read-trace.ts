import type { Clock, Logger, Millis } from '@coracle/base';

/** Duration from which a list is logged as slow. */
const slowReadMs: Millis = 10_000;

export interface ReadTraceOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The resource of the list. */
  readonly name: string;
}

/** Measures the steps of a list, and logs them if it was slow. */
export class ReadTrace {
  readonly #options: ReadTraceOptions;
  readonly #startedAt: Millis;
  readonly #steps: object[] = [];

  constructor(options: ReadTraceOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
  }

  /** Records that a step has ended. */
  step(step: string, details: Readonly<Record<string, unknown>> = {}): void {
    this.#steps.push({ step, atMs: this.#elapsedMs(), ...details });
  }

  end(): void {
    const tookMs = this.#elapsedMs();
    const { logger, name } = this.#options;
    if (tookMs > slowReadMs) logger.info('Slow list of a resource', { resource: name, tookMs, steps: this.#steps });
  }

  #elapsedMs(): Millis {
    return this.#options.clock.now() - this.#startedAt;
  }
}
