/**
 * Thrown by a failed evaluation: `a && b` is false if b is false and a failed, so failures are common and must be
 * cheap. It is not an `Error`, which would capture the stack each time.
 */
export class EvaluationFailure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

export function fail(message: string): never {
  throw new EvaluationFailure(message);
}

/** Thrown when the budget is exhausted. It must not be caught as an ordinary failure. */
export class CostExceeded {
  readonly message = 'operation cancelled: actual cost limit exceeded';
}
