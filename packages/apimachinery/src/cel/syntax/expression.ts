import type { Overload } from '../overload.js';
import type { CelType } from '../values/cel-type.js';
import type { CelValue } from '../values/cel-value.js';

/** What every expression has: its place, and its type once it is checked. */
interface Place {
  /** In code points from the start of the source. */
  readonly offset: number;
  /** Set by the checker. */
  type?: CelType;
}

export interface ConstantExpression extends Place {
  readonly kind: 'constant';
  readonly value: CelValue;
}

export interface NameExpression extends Place {
  readonly kind: 'name';
  /** The checker puts the declared name here, which may be qualified. */
  name: string;
}

export interface SelectExpression extends Place {
  readonly kind: 'select';
  readonly operand: Expression;
  readonly field: string;
  /** `has(operand.field)`. */
  readonly testOnly: boolean;
  /** Set by the checker where `a.b.c` is one declared name. */
  qualified?: string;
}

export interface CallExpression extends Place {
  readonly kind: 'call';
  function: string;
  /** Cleared by the checker where it turned out to be the first half of a function's name. */
  target: Expression | undefined;
  readonly args: readonly Expression[];
  /** Those that fit the types; set by the checker. */
  overloads?: readonly Overload[];
}

export interface ListExpression extends Place {
  readonly kind: 'list';
  readonly items: readonly Expression[];
  /** The indexes of the items that are written `?item`. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry {
  readonly key: Expression;
  readonly value: Expression;
  readonly optional: boolean;
}

export interface MapExpression extends Place {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface MessageField {
  readonly name: string;
  readonly offset: number;
  readonly value: Expression;
  readonly optional: boolean;
}

export interface MessageExpression extends Place {
  readonly kind: 'message';
  readonly name: string;
  readonly fields: readonly MessageField[];
}

/** A loop over a list or map: what macros such as `all` and `map` become. */
export interface FoldExpression extends Place {
  readonly kind: 'fold';
  readonly range: Expression;
  readonly item: string;
  /** With two variables, `item` is the index or key, and this the value. */
  readonly second: string | undefined;
  readonly accumulator: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

export type Expression =
  | ConstantExpression
  | NameExpression
  | SelectExpression
  | CallExpression
  | ListExpression
  | MapExpression
  | MessageExpression
  | FoldExpression;

export function constant(offset: number, value: CelValue): ConstantExpression {
  return { kind: 'constant', offset, value };
}

export function name(offset: number, text: string): NameExpression {
  return { kind: 'name', offset, name: text };
}

export function call(offset: number, fn: string, args: readonly Expression[], target?: Expression): CallExpression {
  return { kind: 'call', offset, function: fn, target, args };
}

export function list(offset: number, items: readonly Expression[]): ListExpression {
  return { kind: 'list', offset, items, optional: noItems };
}

const noItems: ReadonlySet<number> = new Set();

/** One function a kind of expression. */
export interface ExpressionVisitor<T> {
  constant(expression: ConstantExpression): T;
  name(expression: NameExpression): T;
  select(expression: SelectExpression): T;
  call(expression: CallExpression): T;
  list(expression: ListExpression): T;
  map(expression: MapExpression): T;
  message(expression: MessageExpression): T;
  fold(expression: FoldExpression): T;
}

/** The only switch on kinds of expressions: code that handles each of them is a visitor. */
export function visit<T>(expression: Expression, visitor: ExpressionVisitor<T>): T {
  switch (expression.kind) {
    case 'constant':
      return visitor.constant(expression);
    case 'name':
      return visitor.name(expression);
    case 'select':
      return visitor.select(expression);
    case 'call':
      return visitor.call(expression);
    case 'list':
      return visitor.list(expression);
    case 'map':
      return visitor.map(expression);
    case 'message':
      return visitor.message(expression);
    case 'fold':
      return visitor.fold(expression);
  }
}

const noChildren = (): readonly Expression[] => [];

const children: ExpressionVisitor<readonly Expression[]> = {
  constant: noChildren,
  name: noChildren,
  select: ({ operand }) => [operand],
  call: ({ target, args }) => (target ? [target, ...args] : args),
  list: ({ items }) => items,
  map: ({ entries }) => entries.flatMap(({ key, value }) => [key, value]),
  message: ({ fields }) => fields.map(({ value }) => value),
  fold: ({ range, initial, condition, step, result }) => [range, initial, condition, step, result],
};

export function childrenOf(expression: Expression): readonly Expression[] {
  return visit(expression, children);
}

/** Every expression below and with this one, outer ones first. */
export function* descendants(expression: Expression): Generator<Expression> {
  yield expression;
  for (const child of childrenOf(expression)) yield* descendants(child);
}

/** `a.b.c` as one text, if it consists of names only. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === 'name') return expression.name;
  if (expression.kind !== 'select' || expression.testOnly) return undefined;
  const operand = qualifiedName(expression.operand);
  return operand === undefined ? undefined : `${operand}.${expression.field}`;
}
