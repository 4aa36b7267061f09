import { childrenOf, type Expression } from './expression.js';

const maxNodes = 200_000;

/** Macros copy what they are given: a short text could become a tree without end. */
export class TooManyNodesError extends Error {
  override readonly name: string = 'TooManyNodesError';
}

/** How many nodes the tree of an expression may still get. */
export class NodeBudget {
  #left = maxNodes;

  spend(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new TooManyNodesError(`expression node count exceeds limit: ${maxNodes}`);
  }

  copy<T extends Expression>(expression: T): T {
    this.spend(1);
    return copyWith(expression, (child) => this.copy(child));
  }
}

function copyWith<T extends Expression>(expression: T, copy: (child: Expression) => Expression): T;
function copyWith(expression: Expression, copy: (child: Expression) => Expression): Expression {
  if (childrenOf(expression).length === 0) return { ...expression };
  switch (expression.kind) {
    case 'select':
      return { ...expression, operand: copy(expression.operand) };
    case 'call':
      return { ...expression, target: expression.target && copy(expression.target), args: expression.args.map(copy) };
    case 'list':
      return { ...expression, items: expression.items.map(copy) };
    case 'map':
      return {
        ...expression,
        entries: expression.entries.map((entry) => ({ ...entry, key: copy(entry.key), value: copy(entry.value) })),
      };
    case 'message':
      return { ...expression, fields: expression.fields.map((field) => ({ ...field, value: copy(field.value) })) };
    case 'fold':
      return {
        ...expression,
        range: copy(expression.range),
        initial: copy(expression.initial),
        condition: copy(expression.condition),
        step: copy(expression.step),
        result: copy(expression.result),
      };
    default:
      return { ...expression };
  }
}
