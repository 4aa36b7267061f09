import { listCost, mapCost, messageCost } from '../cost/call-cost.js';
import { elementOf, hasField, optionalElement } from '../library/element-access.js';
import {
  type CallExpression,
  type Expression,
  type ExpressionVisitor,
  type FoldExpression,
  type ListExpression,
  type MapExpression,
  type MessageExpression,
  type SelectExpression,
  visit,
} from '../syntax/expression.js';
import { ValueList } from '../values/cel-list.js';
import { ValueMap } from '../values/cel-map.js';
import { CelOptional, CelTypeValue, type CelValue } from '../values/cel-value.js';
import { EvaluationFailure, fail } from '../values/evaluation-failure.js';
import type { FindMessageType } from '../values/message-type.js';
import { Frame, type Plan } from './frame.js';
import { planCall } from './plan-call.js';
import { planFold } from './plan-fold.js';
import { planConditional, planLogical, planNotStrictlyFalse } from './plan-logical.js';

export interface PlannerOptions {
  /** The places of the declared variables in a frame. */
  readonly variables: ReadonlyMap<string, number>;
  readonly types: ReadonlyMap<string, { readonly name: string }>;
  readonly findMessageType: FindMessageType;
}

/** A plan, with its value if that is constant. */
interface Planned {
  readonly run: Plan;
  readonly constant?: CelValue;
}

/** Functions of constants that are computed at once. A failure is the expression's. */
const conversionNames: ReadonlySet<string> = new Set(
  'bool bytes double dyn duration int string timestamp type uint'.split(' '),
);

/** The operators that continue a path. */
const paths: ReadonlySet<string> = new Set(['_[_]', '_?._', '_[?_]']);

/** Turns a checked expression into closures. */
export class Planner {
  readonly #options: PlannerOptions;
  /** Variables of loops, by their places in the frame; the innermost last. */
  readonly #locals: { readonly name: string; readonly slot: number }[] = [];
  readonly #plans: ExpressionVisitor<Planned> = {
    constant: ({ value }) => constantPlan(value),
    name: ({ name }) => this.#name(name),
    select: (expression) => ({ run: this.#select(expression) }),
    call: (expression) => this.#call(expression),
    list: (expression) => this.#list(expression),
    map: (expression) => this.#map(expression),
    message: (expression) => ({ run: this.#message(expression) }),
    fold: (expression) => ({ run: this.#fold(expression) }),
  };
  #slots: number;

  constructor(options: PlannerOptions) {
    this.#options = options;
    this.#slots = options.variables.size;
  }

  plan(expression: Expression): Plan {
    return this.#plan(expression).run;
  }

  /** A place for a variable of a loop while `body` is planned. */
  withLocal<T>(name: string, body: (slot: number) => T): T {
    const slot = this.#slots++;
    this.#locals.push({ name, slot });
    const result = body(slot);
    this.#locals.pop();
    return result;
  }

  #plan(expression: Expression): Planned {
    return visit(expression, this.#plans);
  }

  #name(name: string): Planned {
    const slot = this.#slotOf(name);
    if (slot !== undefined) return { run: readSlot(slot, name) };
    const type = this.#options.types.get(name);
    return constantPlan(type ? new CelTypeValue(type.name) : null);
  }

  #slotOf(name: string): number | undefined {
    const local = this.#locals.findLast((one) => one.name === name);
    return local?.slot ?? this.#options.variables.get(name);
  }

  #select(expression: SelectExpression): Plan {
    const { qualified, field, testOnly } = expression;
    if (qualified !== undefined) return this.#name(qualified).run;
    const operand = this.plan(expression.operand);
    if (testOnly) return (frame) => hasField(operand(frame), field);
    return (frame) => {
      const value = operand(frame);
      frame.spend(1);
      return elementOf(value, field);
    };
  }

  #call(expression: CallExpression): Planned {
    const special = this.#special(expression);
    if (special) return { run: special };
    const { target, args } = expression;
    const planned = (target ? [target, ...args] : args).map((arg) => this.#plan(arg));
    const run = planCall(
      expression,
      planned.map((one) => one.run),
    );
    const isConstant = conversionNames.has(expression.function) && planned.every((one) => one.constant !== undefined);
    return isConstant ? constantPlan(run(new Frame([], Number.POSITIVE_INFINITY))) : { run };
  }

  /** Operators that do not always read all of their operands, or take values of any type. */
  #special({ function: name, target, args }: CallExpression): Plan | undefined {
    const [a, b, c] = (target ? [target, ...args] : args).map((arg) => () => this.plan(arg));
    if (!a) return undefined;
    switch (name) {
      case '_&&_':
        return b && planLogical(a(), b(), false);
      case '_||_':
        return b && planLogical(a(), b(), true);
      case '_?_:_':
        return b && c && planConditional(a(), this.#branch(args[1], b()), this.#branch(args[2], c()));
      case '@not_strictly_false':
        return planNotStrictlyFalse(a());
      case 'or':
      case 'orValue':
        return b && target && orElse(a(), b(), name === 'orValue');
      case '_[_]':
        return b && access(elementOf, [a(), b()], this.#isPath(args[1]) ? 0 : 1);
      case '_?._':
      case '_[?_]':
        return b && access(optionalElement, [a(), b()], this.#isPath(args[1]) ? 0 : 1);
      default:
        return undefined;
    }
  }

  /** What is read from a variable by fields and keys, which costs less inside of some operators. */
  #isPath(expression: Expression | undefined): boolean {
    switch (expression?.kind) {
      case 'name':
        return this.#slotOf(expression.name) !== undefined;
      case 'select':
        return !expression.testOnly && expression.qualified === undefined;
      case 'call':
        return paths.has(expression.function);
      default:
        return false;
    }
  }

  /** A branch of a condition: the variable of a path is not charged. */
  #branch(expression: Expression | undefined, plan: Plan): Plan {
    return this.#isPath(expression) ? charging(-1, plan) : plan;
  }

  #list({ items, optional }: ListExpression): Planned {
    const planned = items.map((item) => this.#plan(item));
    const plans = planned.map((one) => one.run);
    if (optional.size > 0)
      return { run: charging(listCost, (frame) => new ValueList(presentItems(plans, optional, frame))) };
    if (planned.every((one) => one.constant !== undefined))
      return constantPlan(new ValueList(planned.map(({ constant }) => constant ?? null)));
    return {
      run: (frame) => {
        frame.spend(listCost);
        return new ValueList(plans.map((plan) => plan(frame)));
      },
    };
  }

  #map({ entries }: MapExpression): Planned {
    const planned = entries.map(({ key, value, optional }) => ({
      key: this.#plan(key),
      value: this.#plan(value),
      optional,
    }));
    const build = (frame: Frame) => {
      const pairs: [CelValue, CelValue][] = [];
      for (const { key, value, optional } of planned) {
        const one = value.run(frame);
        const element = optional && one instanceof CelOptional ? one.value : one;
        if (element !== undefined) pairs.push([key.run(frame), element]);
      }
      return ValueMap.of(pairs);
    };
    const isConstant = ({ key, value, optional }: (typeof planned)[number]) =>
      key.constant !== undefined && value.constant !== undefined && !optional;
    if (planned.every(isConstant)) return constantPlan(build(new Frame([], Number.POSITIVE_INFINITY)));
    return { run: charging(mapCost, build) };
  }

  #message({ name, fields }: MessageExpression): Plan {
    const message = this.#options.findMessageType(name);
    const planned = fields.map(({ name: field, value, optional }) => ({ field, value: this.plan(value), optional }));
    return (frame) => {
      frame.spend(messageCost);
      const values = new Map<string, CelValue>();
      for (const { field, value, optional } of planned) {
        const one = value(frame);
        const entry = optional && one instanceof CelOptional ? one.value : one;
        if (entry !== undefined) values.set(field, entry);
      }
      return message?.create(values) ?? fail(`unknown type: ${name}`);
    };
  }

  #fold(expression: FoldExpression): Plan {
    return planFold(this, expression);
  }
}

function charging(cost: number, run: Plan): Plan {
  return (frame) => {
    frame.spend(cost);
    return run(frame);
  };
}

function constantPlan(value: CelValue): Planned {
  return { run: () => value, constant: value };
}

function readSlot(slot: number, name: string): Plan {
  return (frame) => {
    frame.spend(1);
    const value = frame.slots[slot];
    if (value === undefined) return fail(`no such attribute(s): ${name}`);
    if (value instanceof EvaluationFailure) throw value;
    return value;
  };
}

function presentItems(plans: readonly Plan[], optional: ReadonlySet<number>, frame: Frame): CelValue[] {
  const values: CelValue[] = [];
  for (const [i, plan] of plans.entries()) {
    const value = plan(frame);
    const unwrapped = optional.has(i) && value instanceof CelOptional ? value.value : value;
    if (unwrapped !== undefined) values.push(unwrapped);
  }
  return values;
}

type Read = (container: CelValue, key: CelValue) => CelValue;

function access(read: Read, [container, key]: readonly [Plan, Plan], cost: number): Plan {
  return (frame) => {
    const value = container(frame);
    const at = key(frame);
    frame.spend(cost);
    const found = read(value, at);
    if (found === CelOptional.none) frame.spend(-cost);
    return found;
  };
}

function orElse(first: Plan, second: Plan, isValue: boolean): Plan {
  return (frame) => {
    const optional = first(frame);
    if (!(optional instanceof CelOptional)) return fail('no such overload');
    if (optional.value === undefined) return second(frame);
    return isValue ? optional.value : optional;
  };
}
