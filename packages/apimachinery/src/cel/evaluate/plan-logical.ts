import { EvaluationFailure, fail } from '../values/evaluation-failure.js';
import { attempt, type Plan } from './frame.js';

/** `a && b` or `a || b`: one operand that decides is enough, even where the other fails. */
export function planLogical(left: Plan, right: Plan, decisive: boolean): Plan {
  return (frame) => {
    const first = attempt(left, frame);
    if (first === decisive) return decisive;
    const second = right(frame);
    if (second === decisive) return decisive;
    if (first instanceof EvaluationFailure) throw first;
    return typeof first === 'boolean' && typeof second === 'boolean' ? !decisive : fail('no such overload');
  };
}

export function planConditional(condition: Plan, yes: Plan, no: Plan): Plan {
  return (frame) => {
    const value = condition(frame);
    if (value === true) return yes(frame);
    return value === false ? no(frame) : fail('no such overload');
  };
}

/** Whether a loop continues: until its outcome is certain. */
export function planNotStrictlyFalse(operand: Plan): Plan {
  return (frame) => {
    frame.spend(1);
    return attempt(operand, frame) !== false;
  };
}
