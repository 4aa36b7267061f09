import type { Clock, Logger, Millis } from '@coracle/base';

/** Reading everything should not take longer than this. */
const slowReadMs: Millis = 10_000;

export interface ReadTraceOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The resource that is read. */
  readonly name: string;
}

/** Notes how long each step of a read takes, and logs the steps of one that was slow. */
export class ReadTrace {
  readonly #options: ReadTraceOptions;
  readonly #startedAt: Millis;
  readonly #steps: object[] = [];

  constructor(options: ReadTraceOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
  }

  /** A step that has just come to its end. */
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
