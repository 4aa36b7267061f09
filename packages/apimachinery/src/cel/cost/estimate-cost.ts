import {
  type CallExpression,
  type Expression,
  type ExpressionVisitor,
  type FoldExpression,
  type ListExpression,
  type MapExpression,
  type NameExpression,
  type SelectExpression,
  visit,
} from '../syntax/expression.js';
import { accumulator } from '../syntax/macros.js';
import { type CelType, dynType } from '../values/cel-type.js';
import { sizeOf } from '../values/equality.js';
import { listCost, mapCost, messageCost } from './call-cost.js';
import { argumentOf, type CallEstimate, estimateCall } from './call-estimate.js';
import { add, type CostRange, fixed, multiply, noCost, union, unknownRange } from './cost-range.js';

/**
 * How large the value at a path may be, if that is known. A path begins with a variable; then come names of fields,
 * `@items`, `@keys` and `@values`.
 */
export type SizeOfPath = (path: readonly string[]) => CostRange | undefined;

/** Estimates the cost of an expression before its evaluation. */
export function estimateCost(expression: Expression, sizeOfPath: SizeOfPath): CostRange {
  return new Estimator(sizeOfPath).cost(expression);
}

interface EntrySize {
  readonly container: 'list' | 'map';
  readonly key: CostRange;
  readonly value: CostRange;
}

/** A variable of a loop. */
interface Local {
  readonly name: string;
  readonly path: readonly string[];
  readonly size: CostRange | undefined;
  readonly entries: EntrySize | undefined;
}

const one = fixed(1);
const scalarKinds: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

class Estimator {
  readonly #sizeOfPath: SizeOfPath;
  readonly #paths = new Map<Expression, readonly string[]>();
  readonly #sizes = new Map<Expression, CostRange>();
  readonly #entries = new Map<Expression, EntrySize>();
  readonly #locals: Local[] = [];
  readonly #costs: ExpressionVisitor<CostRange> = {
    constant: () => noCost,
    name: (expression) => this.#name(expression),
    select: (expression) => this.#select(expression),
    call: (expression) => this.#call(expression),
    list: (expression) => this.#list(expression),
    map: (expression) => this.#map(expression),
    message: ({ fields }) => add(...fields.map(({ value }) => this.cost(value)), fixed(messageCost)),
    fold: (fold) => (isBinding(fold) ? this.#binding(fold) : this.#fold(fold)),
  };

  constructor(sizeOfPath: SizeOfPath) {
    this.#sizeOfPath = sizeOfPath;
  }

  cost(expression: Expression): CostRange {
    return visit(expression, this.#costs);
  }

  #name(expression: NameExpression): CostRange {
    this.#paths.set(expression, this.#local(expression.name)?.path ?? [expression.name]);
    return one;
  }

  #local(name: string): Local | undefined {
    return this.#locals.findLast((local) => local.name === name);
  }

  #path(expression: Expression): readonly string[] {
    const local = expression.kind === 'name' ? this.#local(expression.name) : undefined;
    return local?.path ?? this.#paths.get(expression) ?? [];
  }

  #select(expression: SelectExpression): CostRange {
    if (expression.qualified !== undefined) {
      this.#paths.set(expression, [expression.qualified]);
      return one;
    }
    const operand = this.cost(expression.operand);
    if (expression.testOnly) return operand;
    this.#paths.set(expression, [...this.#path(expression.operand), expression.field]);
    const kind = expression.operand.type?.kind ?? 'dyn';
    return kind === 'map' || kind === 'object' || kind === 'parameter' ? add(operand, one) : operand;
  }

  #call(expression: CallExpression): CostRange {
    const { function: name, target, args, overloads = [] } = expression;
    if (name === 'dyn' && args[0]) {
      const cost = add(one, this.cost(args[0]));
      this.#copySizes(expression, args[0]);
      return cost;
    }
    const argumentCosts = args.map((arg) => this.cost(arg));
    const targetCost = target ? this.cost(target) : noCost;
    let cost: CostRange | undefined;
    let size: CostRange | undefined;
    for (const { id } of overloads) {
      const estimate = this.#estimate(expression, id, argumentCosts);
      cost = cost ? union(cost, estimate.cost) : estimate.cost;
      if (estimate.resultSize) size = size ? union(size, estimate.resultSize) : estimate.resultSize;
      if (id === 'index_list' || id === 'index_map')
        size = this.#index(expression, id === 'index_list' ? '@items' : '@values');
      size ??= this.#size(expression);
    }
    if (size) this.#sizes.set(expression, size);
    return add(targetCost, cost ?? noCost);
  }

  #index(expression: CallExpression, step: string): CostRange | undefined {
    const [container] = expression.args;
    if (!container) return undefined;
    this.#paths.set(expression, [...this.#path(container), step]);
    return this.#entriesOf(container)?.value;
  }

  #estimate(expression: CallExpression, id: string, costs: readonly CostRange[]): CallEstimate {
    const { function: name, target, args } = expression;
    const [first = noCost, second = noCost, third = noCost] = costs;
    if (id === 'logical_and' || id === 'logical_or') return { cost: { min: first.min, max: add(first, second).max } };
    if (id === 'conditional') return this.#conditional(expression, [first, second, third]);
    if (id === 'add_list' || id === 'add_string' || id === 'add_bytes') this.#joinEntries(expression);
    const operands = (target ? [target, ...args] : args).map((arg) =>
      argumentOf(arg, this.#sizeOrUnknown(arg), this.#itemSize(arg)),
    );
    const { cost, ...others } = estimateCall(name, id, operands);
    return { cost: add(cost, ...costs), ...others };
  }

  #conditional(
    expression: CallExpression,
    [condition, yes, no]: readonly [CostRange, CostRange, CostRange],
  ): CallEstimate {
    const [, a, b] = expression.args;
    if (!a || !b) return { cost: condition };
    const [left, right] = [this.#entriesOf(a), this.#entriesOf(b)];
    if (left && right) this.#entries.set(expression, unionEntries(left, right));
    return { cost: add(condition, union(yes, no)), resultSize: union(this.#sizeOrUnknown(a), this.#sizeOrUnknown(b)) };
  }

  #joinEntries(expression: CallExpression): void {
    const [left, right] = expression.args.map((arg) => this.#entriesOf(arg));
    if (left && right) this.#entries.set(expression, unionEntries(left, right));
  }

  #list(expression: ListExpression): CostRange {
    const costs = expression.items.map((item) => this.cost(item));
    const value = expression.items.map((item) => this.#sizeOrUnknown(item)).reduce(widest, undefined);
    this.#entries.set(expression, { container: 'list', key: one, value: value ?? noCost });
    return add(...costs, fixed(listCost));
  }

  #map(expression: MapExpression): CostRange {
    const costs = expression.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
    const key = expression.entries.map((entry) => this.#sizeOrUnknown(entry.key)).reduce(widest, undefined);
    const value = expression.entries.map((entry) => this.#sizeOrUnknown(entry.value)).reduce(widest, undefined);
    this.#entries.set(expression, { container: 'map', key: key ?? noCost, value: value ?? noCost });
    return add(...costs, fixed(mapCost));
  }

  #binding(fold: FoldExpression): CostRange {
    const before = add(this.cost(fold.range), this.cost(fold.initial));
    this.#pushAccumulator(fold);
    const result = this.cost(fold.result);
    this.#locals.pop();
    this.#copySizes(fold, fold.result);
    return add(before, result);
  }

  #fold(fold: FoldExpression): CostRange {
    const before = add(this.cost(fold.range), this.cost(fold.initial));
    this.#pushAccumulator(fold);
    const items = this.#itemLocals(fold);
    this.#locals.push(...items);
    const turn = add(this.cost(fold.condition), this.cost(fold.step));
    this.#locals.splice(this.#locals.length - items.length);
    const result = this.cost(fold.result);
    this.#locals.pop();
    const turns = this.#sizeOrUnknown(fold.range);
    this.#setFoldSize(fold, turns);
    return add(before, result, multiply(turns, turn));
  }

  #setFoldSize(fold: FoldExpression, turns: CostRange): void {
    const { initial } = fold;
    if (initial.kind === 'constant') this.#sizes.set(fold, this.#sizeOrUnknown(initial));
    if (initial.kind !== 'list' && initial.kind !== 'map') return;
    this.#sizes.set(fold, turns);
    const entries = this.#entriesOf(fold.step);
    if (entries) this.#entries.set(fold, entries);
  }

  #pushAccumulator({ accumulator: name, initial }: FoldExpression): void {
    const local = { name, path: this.#path(initial), size: this.#size(initial), entries: this.#entriesOf(initial) };
    this.#locals.push(local);
  }

  #itemLocals({ range, item, second }: FoldExpression): Local[] {
    const entries = this.#entriesOf(range);
    const isList = (entries?.container ?? range.type?.kind) === 'list';
    const path = this.#path(range);
    const local = (name: string, step: string, size: CostRange | undefined): Local => ({
      name,
      path: [...path, step],
      size,
      entries: undefined,
    });
    const value = (name: string) => local(name, isList ? '@items' : '@values', entries?.value);
    if (second === undefined) return [isList ? value(item) : local(item, '@keys', entries?.key)];
    return [local(item, isList ? '@indices' : '@keys', entries?.key), value(second)];
  }

  #copySizes(to: Expression, from: Expression): void {
    const size = this.#size(from);
    if (size) this.#sizes.set(to, size);
    const entries = this.#entriesOf(from);
    if (entries) this.#entries.set(to, entries);
  }

  #sizeOrUnknown(expression: Expression): CostRange {
    return this.#size(expression) ?? unknownRange;
  }

  #size(expression: Expression): CostRange | undefined {
    const path = this.#path(expression);
    return (
      this.#sizes.get(expression) ??
      literalSize(expression) ??
      (path.length > 0 && path[0] !== accumulator ? this.#sizeOfPath(path) : undefined) ??
      typeSize(expression.type ?? dynType) ??
      (expression.kind === 'name' ? this.#local(expression.name)?.size : undefined)
    );
  }

  /** The size of a list's items, from the schema at the list's path. */
  #itemSize(expression: Expression): CostRange {
    const path = this.#path(expression);
    return (path.length > 0 ? this.#sizeOfPath([...path, '@items']) : undefined) ?? unknownRange;
  }

  #entriesOf(expression: Expression): EntrySize | undefined {
    const local = expression.kind === 'name' ? this.#local(expression.name) : undefined;
    return this.#entries.get(expression) ?? local?.entries;
  }
}

function widest(a: CostRange | undefined, b: CostRange): CostRange {
  return a ? union(a, b) : b;
}

function unionEntries(a: EntrySize, b: EntrySize): EntrySize {
  return { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) };
}

function literalSize(expression: Expression): CostRange | undefined {
  if (expression.kind === 'constant') return fixed(sizeOf(expression.value));
  if (expression.kind === 'list') return fixed(expression.items.length);
  return expression.kind === 'map' ? fixed(expression.entries.length) : undefined;
}

function typeSize(type: CelType): CostRange | undefined {
  if (type.name === 'optional_type') return typeSize(type.parameters[0] ?? dynType);
  return scalarKinds.has(type.kind) ? one : undefined;
}

/** A value under a name is written as a loop that never turns. */
function isBinding({ range, condition, accumulator: name }: FoldExpression): boolean {
  return (
    range.kind === 'list' &&
    range.items.length === 0 &&
    condition.kind === 'constant' &&
    condition.value === false &&
    name !== accumulator
  );
}
