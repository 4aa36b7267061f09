import { CelError } from './cel-error.js';
import type { CostRange } from './cost/cost-range.js';
import { estimateCost, type SizeOfPath } from './cost/estimate-cost.js';
import { Frame, type Plan } from './evaluate/frame.js';
import { descendants, type Expression } from './syntax/expression.js';
import { type CelType, dynType } from './values/cel-type.js';
import type { CelValue } from './values/cel-value.js';
import { CostExceeded, EvaluationFailure } from './values/evaluation-failure.js';

/** Default cost limit of one evaluation. */
export const perCallCostLimit = 1_000_000;

/** The result of an evaluation, and its cost. */
export type CelOutcome =
  | { readonly value: CelValue; readonly error?: undefined; readonly cost: number }
  | { readonly value?: undefined; readonly error: CelError; readonly cost: number };

/** A compiled expression. */
export class CelProgram {
  /** The result type; `dyn` if it is known only at run time. */
  readonly type: CelType;
  readonly #expression: Expression;
  readonly #plan: Plan;
  readonly #slots: ReadonlyMap<string, number>;

  constructor(expression: Expression, plan: Plan, slots: ReadonlyMap<string, number>) {
    this.type = expression.type ?? dynType;
    this.#expression = expression;
    this.#plan = plan;
    this.#slots = slots;
  }

  /** Whether the expression reads a variable. */
  uses(variable: string): boolean {
    for (const one of descendants(this.#expression)) if (one.kind === 'name' && one.name === variable) return true;
    return false;
  }

  /** The minimum and maximum cost of an evaluation, given the maximum sizes of values. */
  estimateCost(sizeOfPath: SizeOfPath): CostRange {
    return estimateCost(this.#expression, sizeOfPath);
  }

  /** Variables that are left out or have failed cannot be read. It does not throw. */
  run(
    variables: Readonly<Record<string, CelValue | EvaluationFailure>>,
    costLimit: number = perCallCostLimit,
  ): CelOutcome {
    const slots: (CelValue | EvaluationFailure | undefined)[] = [];
    for (const [name, slot] of this.#slots) slots[slot] = variables[name];
    const frame = new Frame(slots, costLimit);
    try {
      const value = this.#plan(frame);
      return { value, cost: frame.cost };
    } catch (error) {
      if (error instanceof EvaluationFailure)
        return { error: new CelError('evaluate', error.message), cost: frame.cost };
      if (error instanceof CostExceeded) return { error: new CelError('cost', error.message), cost: frame.cost };
      throw error;
    }
  }

  /** Returns the value only. Throws a `CelError`. */
  evaluate(variables: Readonly<Record<string, CelValue>>, costLimit?: number): CelValue {
    const outcome = this.run(variables, costLimit);
    if (outcome.error) throw outcome.error;
    return outcome.value;
  }
}
