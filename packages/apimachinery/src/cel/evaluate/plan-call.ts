import { callCostOf } from '../cost/call-cost.js';
import type { Implementation, Overload } from '../overload.js';
import type { CallExpression } from '../syntax/expression.js';
import { type CelType, dynType, nullType } from '../values/cel-type.js';
import { type CelValue, typeOfValue } from '../values/cel-value.js';
import { EvaluationFailure, fail } from '../values/evaluation-failure.js';
import { attempt, type Frame, type Plan } from './frame.js';

/** A function with its arguments: charges its cost, then calls it. */
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
    const values = argumentsOf(args, frame, cost);
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
    const value = attempt(arg, frame);
    if (value instanceof EvaluationFailure) return failed([value], frame, cost);
    frame.spend(cost ? cost([value]) : 1);
    return call(value);
  };
}

/** The second argument is computed also where the first one fails. */
function binary(call: Implementation, [left, right]: readonly [Plan, Plan], cost: Cost): Plan {
  return (frame) => {
    const a = attempt(left, frame);
    const b = attempt(right, frame);
    if (a instanceof EvaluationFailure || b instanceof EvaluationFailure) return failed([a, b], frame, cost);
    frame.spend(cost ? cost([a, b]) : 1);
    return call(a, b);
  };
}

/** Of three and more, none is computed after one that fails, and the call is charged only if that was the last one. */
function argumentsOf(plans: readonly Plan[], frame: Frame, cost: Cost): readonly CelValue[] {
  const values: (CelValue | EvaluationFailure)[] = [];
  let hasFailed = false;
  for (const plan of plans) {
    const value = attempt(plan, frame);
    values.push(value);
    hasFailed ||= value instanceof EvaluationFailure;
    if (hasFailed && plans.length > 2 && values.length < plans.length) throw value;
  }
  return hasFailed ? failed(values, frame, cost) : (values as CelValue[]);
}

/** A call with arguments that failed is charged too, and fails as the first of them. */
function failed(args: readonly (CelValue | EvaluationFailure)[], frame: Frame, cost: Cost): never {
  frame.spend(cost ? cost(args.map((arg) => (arg instanceof EvaluationFailure ? null : arg))) : 1);
  throw args.find((arg) => arg instanceof EvaluationFailure);
}

/** Selects the overload by the values, where their types were not known before. */
function dispatching({ function: name, overloads = [] }: CallExpression, args: readonly Plan[]): Plan {
  const [only] = overloads;
  const charged = callCostOf(name, only && overloads.length === 1 ? only.id : '');
  const choices = overloads.map((overload) => ({ overload, cost: callCostOf(name, overload.id) }));
  return (frame: Frame) => {
    const values = argumentsOf(args, frame, charged);
    const choice = choices.find(({ overload }) => accepts(overload, values));
    const cost = choice ? choice.cost : charged;
    frame.spend(cost ? cost(values) : 1);
    return choice ? choice.overload.call(...values) : fail(noSuchOverload(name, values.map(typeOfValue)));
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
