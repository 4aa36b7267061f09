import type { Clock, Millis } from '../time/clock.js';
import type { StepDetails, Tracer } from './tracer.js';

export interface Step {
  readonly name: string;
  readonly at: Millis;
  /** Grows from step to step, of whatever subject. */
  readonly order: number;
  readonly details?: StepDetails;
}

export interface RecordingTracerOptions {
  readonly clock: Clock;
  /** Only steps of these resources are kept, such as `pods`; of all by default. */
  readonly resources?: readonly string[];
  /** Minimum number of steps that are kept; the oldest are dropped. */
  readonly keepsSteps?: number;
}

const batchSize = 1_024;

/**
 * Some steps in a row. Columns instead of objects: there are many, and most are never read. They have their
 * full length from the beginning, because a list changes its kind with the first thing that is put in it, and code that
 * fills it is compiled again each time.
 */
class Batch {
  count = 0;
  readonly subjects = new Array<string>(batchSize).fill('');
  readonly names = new Array<string>(batchSize).fill('');
  readonly times = new Float64Array(batchSize);
  readonly details = new Array<StepDetails | undefined>(batchSize).fill(undefined);
}

/** Records the last steps, in bounded memory. Recording is fast; a query for one subject scans all steps. */
export class RecordingTracer implements Tracer {
  readonly #clock: Clock;
  readonly #resources: ReadonlySet<string> | undefined;
  readonly #mostBatches: number;
  /** The oldest first. All but the last one are full. */
  readonly #batches: Batch[] = [];
  /** Of the last recorded step: a request has several in a row. */
  #lastSubject: string | undefined;
  /** Number of dropped steps. */
  #gone = 0;

  constructor({ clock, resources, keepsSteps = 64 * batchSize }: RecordingTracerOptions) {
    this.#clock = clock;
    this.#resources = resources && new Set(resources);
    this.#mostBatches = Math.ceil(keepsSteps / batchSize) + 1;
  }

  follows(resource: string): boolean {
    return this.#resources?.has(resource) ?? true;
  }

  step(name: string, subject: string, details?: StepDetails, at: Millis = this.#clock.now()): void {
    if (this.#resources && subject !== this.#lastSubject) {
      if (!this.follows(subject.slice(0, subject.indexOf('/')))) return;
      this.#lastSubject = subject;
    }
    let batch = this.#batches.at(-1);
    if (!batch || batch.count >= batchSize) batch = this.#beginBatch();
    const i = batch.count++;
    batch.subjects[i] = subject;
    batch.names[i] = name;
    batch.times[i] = at;
    batch.details[i] = details;
  }

  /** In order; none for an unknown subject, or if its steps were dropped. */
  stepsOf(subject: string): readonly Step[] {
    const steps: Step[] = [];
    for (const [batchIndex, batch] of this.#batches.entries())
      for (let i = batch.subjects.indexOf(subject); i >= 0; i = batch.subjects.indexOf(subject, i + 1)) {
        const details = batch.details[i];
        steps.push({
          name: batch.names[i] as string,
          at: batch.times[i] as Millis,
          order: this.#gone + batchIndex * batchSize + i,
          ...(details && { details }),
        });
      }
    return steps;
  }

  #beginBatch(): Batch {
    const batch = new Batch();
    this.#batches.push(batch);
    if (this.#batches.length > this.#mostBatches) {
      this.#batches.shift();
      this.#gone += batchSize;
    }
    return batch;
  }
}
