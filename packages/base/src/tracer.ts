export type StepDetails = Readonly<Record<string, string | number>>;

/**
 * Told of each stage that a request or an object passes, by a fixed name such
 * as `apiserver.authorize`. The flow documents are checked against these names.
 */
export interface Tracer {
  /** `subject` says whose step it is: an object key such as `pods/default/web`. */
  step(name: string, subject: string, details?: StepDetails): void;
}

export const noTracer: Tracer = Object.freeze({ step() {} });
