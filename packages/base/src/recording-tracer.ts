import type { Clock, Millis } from './clock.js';
import type { StepDetails, Tracer } from './tracer.js';

export interface Step {
  readonly name: string;
  readonly at: Millis;
  readonly details?: StepDetails;
}

export interface RecordingTracerOptions {
  readonly clock: Clock;
  /** Only subjects that begin with it are kept, such as `pods/`; all unless stated. */
  readonly prefix?: string;
  /** The subject that was first met longest ago makes way for a new one. */
  readonly maxSubjects?: number;
  /** Of one subject; later steps are dropped. */
  readonly maxSteps?: number;
}

/** Keeps the steps of the subjects that it met last, in bounded memory. */
export class RecordingTracer implements Tracer {
  readonly #clock: Clock;
  readonly #prefix: string;
  readonly #maxSubjects: number;
  readonly #maxSteps: number;
  /** In the order in which the subjects were first met. */
  readonly #steps = new Map<string, Step[]>();

  constructor({ clock, prefix = '', maxSubjects = 4_096, maxSteps = 64 }: RecordingTracerOptions) {
    this.#clock = clock;
    this.#prefix = prefix;
    this.#maxSubjects = maxSubjects;
    this.#maxSteps = maxSteps;
  }

  step(name: string, subject: string, details?: StepDetails): void {
    if (!subject.startsWith(this.#prefix)) return;
    const steps = this.#steps.get(subject) ?? this.#begin(subject);
    if (steps.length < this.#maxSteps) steps.push({ name, at: this.#clock.now(), ...(details && { details }) });
  }

  /** In order; none for a subject that was never met, or has made way. */
  stepsOf(subject: string): readonly Step[] {
    return this.#steps.get(subject) ?? [];
  }

  #begin(subject: string): Step[] {
    if (this.#steps.size >= this.#maxSubjects) {
      const [oldest] = this.#steps.keys();
      if (oldest !== undefined) this.#steps.delete(oldest);
    }
    const steps: Step[] = [];
    this.#steps.set(subject, steps);
    return steps;
  }
}
