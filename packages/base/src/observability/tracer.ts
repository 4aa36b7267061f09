import type { Millis } from '../time/clock.js';

export type StepDetails = Readonly<Record<string, string | number>>;

/**
 * Receives each stage that a request or an object passes, by a fixed name such
 * as `apiserver.authorize`. The flow documents are checked against these names.
 */
export interface Tracer {
  /** Whether steps of such objects are recorded. Asked before anything is allocated for a step. */
  follows(resource: string): boolean;
  /**
   * `subject` is the object of the step: a key such as `pods/default/web`. Steps of subjects that are not traced are
   * ignored. `at` is now by default.
   */
  step(name: string, subject: string, details?: StepDetails, at?: Millis): void;
}

export const noTracer: Tracer = Object.freeze({ follows: () => false, step() {} });
