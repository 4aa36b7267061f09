import type { Clock, Millis, StepDetails, Tracer } from '@coracle/base';

/** Collects the trace steps of one request until its object is known: new objects may get their name late. */
export class RequestTrace {
  readonly #tracer: Tracer;
  readonly #clock: Clock;
  readonly #held: { readonly name: string; readonly details: StepDetails | undefined; readonly at: Millis }[] = [];
  #subject: string | undefined;

  constructor(tracer: Tracer, clock: Clock) {
    this.#tracer = tracer;
    this.#clock = clock;
  }

  step(name: string, details?: StepDetails, at: Millis = this.#clock.now()): void {
    if (this.#subject === undefined) this.#held.push({ name, details, at });
    else this.#tracer.step(name, this.#subject, details, at);
  }

  /** Assigns the collected and all further steps to `subject`. */
  about(subject: string): void {
    this.#subject = subject;
    for (const { name, details, at } of this.#held) this.#tracer.step(name, subject, details, at);
    this.#held.length = 0;
  }
}
