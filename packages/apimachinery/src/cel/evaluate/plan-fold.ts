import type { Expression, FoldExpression } from '../syntax/expression.js';
import type { CelValue } from '../values/cel-value.js';
import { CelList, CelMap } from '../values/cel-value.js';
import { EvaluationFailure, fail } from '../values/evaluation-failure.js';
import type { Frame, Plan } from './frame.js';

/** The parts of the planner that a loop needs. */
export interface FoldPlanner {
  plan(expression: Expression): Plan;
  withLocal<T>(name: string, body: (slot: number) => T): T;
}

/** The parts of a loop, planned. */
interface Loop {
  readonly accumulator: number;
  readonly item: number;
  readonly second: number | undefined;
  readonly condition: Plan;
  readonly step: Plan;
  /** The condition may end the loop after a failure: `exists` continues to search. */
  readonly survivesFailures: boolean;
}

export function planFold(planner: FoldPlanner, fold: FoldExpression): Plan {
  const range = planner.plan(fold.range);
  const initial = planner.plan(fold.initial);
  return planner.withLocal(fold.accumulator, (accumulator) => {
    const loop = planLoop(planner, fold, accumulator);
    const result = planner.plan(fold.result);
    return (frame) => {
      const items = range(frame);
      frame.slots[accumulator] = initial(frame);
      run(loop, items, frame);
      return result(frame);
    };
  });
}

function planLoop(planner: FoldPlanner, fold: FoldExpression, accumulator: number): Loop {
  return planner.withLocal(fold.item, (item) => {
    const body = (second: number | undefined): Loop => ({
      accumulator,
      item,
      second,
      condition: planner.plan(fold.condition),
      step: planner.plan(fold.step),
      survivesFailures: fold.condition.kind === 'call',
    });
    return fold.second === undefined ? body(undefined) : planner.withLocal(fold.second, body);
  });
}

function run(loop: Loop, items: CelValue, frame: Frame): void {
  const { slots } = frame;
  if (items instanceof CelList) {
    for (let i = 0; i < items.size; i++) {
      slots[loop.item] = loop.second === undefined ? items.at(i) : BigInt(i);
      if (loop.second !== undefined) slots[loop.second] = items.at(i);
      if (!turn(loop, frame)) return;
    }
  } else if (items instanceof CelMap) {
    for (const key of items.keys()) {
      slots[loop.item] = key;
      if (loop.second !== undefined) slots[loop.second] = items.get(key) ?? null;
      if (!turn(loop, frame)) return;
    }
  } else fail('no such overload');
}

/** One turn; whether it was any. */
function turn(loop: Loop, frame: Frame): boolean {
  if (loop.condition(frame) !== true) return false;
  if (!loop.survivesFailures) {
    frame.slots[loop.accumulator] = loop.step(frame);
    return true;
  }
  try {
    frame.slots[loop.accumulator] = loop.step(frame);
  } catch (error) {
    if (!(error instanceof EvaluationFailure)) throw error;
    frame.slots[loop.accumulator] = error;
  }
  return true;
}
