import type { CelValue } from '../values/cel-value.js';
import { CostExceeded, EvaluationFailure } from '../values/evaluation-failure.js';

/** The state of one evaluation: the values of its variables, and its cost. */
export class Frame {
  /** Declared variables first, then those of loops. A loop that continues after a failure keeps it here. */
  readonly slots: (CelValue | EvaluationFailure | undefined)[];
  cost = 0;
  readonly #limit: number;

  constructor(slots: (CelValue | EvaluationFailure | undefined)[], limit: number) {
    this.slots = slots;
    this.#limit = limit;
  }

  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#limit) throw new CostExceeded();
  }
}

/** An expression that is ready to run. */
export type Plan = (frame: Frame) => CelValue;

/** The value, or how the expression failed. */
export function attempt(plan: Plan, frame: Frame): CelValue | EvaluationFailure {
  try {
    return plan(frame);
  } catch (error) {
    if (error instanceof EvaluationFailure) return error;
    throw error;
  }
}
