import type { CelValue } from '../values/cel-value.js';
import { CostExceeded, type EvaluationFailure } from '../values/evaluation-failure.js';

/** What one evaluation knows: the values of its variables, and what it has spent. */
export class Frame {
  /** Declared variables first, then those of loops. A loop that continues after a failure keeps it here. */
  readonly slots: (CelValue | EvaluationFailure | undefined)[];
  cost = 0;
  readonly #limit: number;

  constructor(slots: (CelValue | undefined)[], limit: number) {
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
