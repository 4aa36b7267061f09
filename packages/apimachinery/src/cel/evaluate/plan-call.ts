import { callCostOf } from '../cost/call-cost.js';
import type { Implementation, Overload } from '../overload.js';
import type { CallExpression } from '../syntax/expression.js';
import { type CelType, dynType, nullType } from '../values/cel-type.js';
import { type CelValue, typeOfValue } from '../values/cel-value.js';
import { fail } from '../values/evaluation-failure.js';
import type { Frame, Plan } from './frame.js';

/** A function with its arguments: charges what it costs, then runs it. */
export function planCall(expression: CallExpression, args: readonly Plan[]): Plan {
  const { overloads = [], target } = expression;
  const types = (target ? [target, ...expression.args] : expression.args).map(({ type = dynType }) => type);
  const [only] = overloads;
  if (only && overloads.length === 1 && types.every((type, i) => fits(type, only.parameters[i])))
    return direct(only, args, types);
  return dispatching(expression, args);
}

/** Whether the checker's type says enough: values need no second look. */
function fits(type: CelType, parameter: CelType | undefined): boolean {
  return parameter?.kind === 'parameter' || (!type.isDynamic && type.kind !== 'parameter' && type.kind !== 'null');
}

function direct({ call, id, function: name, parameters }: Overload, plans: readonly Plan[], types: CelType[]): Plan {
  const cost = callCostOf(name, id);
  const args = plans.map((plan, i) => {
    if (takesNull(parameters[i])) return plan;
    return refusingNull(plan, noSuchOverload(name, types.with(i, nullType)));
  });
  const [a, b] = args;
  if (args.length === 1 && a) return unary(call, a, cost);
  if (args.length === 2 && a && b) return binary(call, [a, b], cost);
  return (frame) => {
    const values = args.map((arg) => arg(frame));
    frame.spend(cost ? cost(values) : 1);
    return call(...values);
  };
}

function takesNull(parameter: CelType | undefined): boolean {
  return !parameter || parameter.isDynamic || ['parameter', 'null', 'wrapper'].includes(parameter.kind);
}

/** The checker does not know what may be null: what a schema makes nullable has the type of its other values. */
function refusingNull(plan: Plan, problem: string): Plan {
  return (frame) => plan(frame) ?? fail(problem);
}

type Cost = ReturnType<typeof callCostOf>;

function unary(call: Implementation, arg: Plan, cost: Cost): Plan {
  return (frame) => {
    const value = arg(frame);
    frame.spend(cost ? cost([value]) : 1);
    return call(value);
  };
}

function binary(call: Implementation, [left, right]: readonly [Plan, Plan], cost: Cost): Plan {
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    frame.spend(cost ? cost([a, b]) : 1);
    return call(a, b);
  };
}

/** Selects the overload by the values, where their types were not known before. */
function dispatching({ function: name, overloads = [] }: CallExpression, args: readonly Plan[]): Plan {
  const choices = overloads.map((overload) => ({ overload, cost: callCostOf(name, overload.id) }));
  return (frame: Frame) => {
    const values = args.map((arg) => arg(frame));
    const choice = choices.find(({ overload }) => accepts(overload, values));
    if (!choice) return fail(noSuchOverload(name, values.map(typeOfValue)));
    frame.spend(choice.cost ? choice.cost(values) : 1);
    return choice.overload.call(...values);
  };
}

function accepts({ parameters }: Overload, values: readonly CelValue[]): boolean {
  return parameters.every((parameter, i) => {
    if (parameter.kind === 'parameter' || parameter.isDynamic) return true;
    const type = typeOfValue(values[i] ?? null);
    return type.kind === parameter.kind && (type.kind !== 'opaque' || type.name === parameter.name);
  });
}

function noSuchOverload(name: string, types: readonly CelType[]): string {
  if (/[_@]/.test(name)) return 'no such overload';
  return `no such overload: ${name}(${types.map((type) => type.name).join(', ')})`;
}
