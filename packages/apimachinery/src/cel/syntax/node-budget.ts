import { type Expression, type ExpressionVisitor, visit } from './expression.js';

const maxNodes = 200_000;

/** Macros copy their arguments: a short text could become an unlimited tree. */
export class TooManyNodesError extends Error {
  override readonly name: string = 'TooManyNodesError';
}

/** Remaining number of nodes in the tree of an expression. */
export class NodeBudget {
  readonly #copier = copier((child) => this.copy(child));
  #left = maxNodes;

  spend(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new TooManyNodesError(`expression node count exceeds limit: ${maxNodes}`);
  }

  copy(expression: Expression): Expression {
    this.spend(1);
    return visit(expression, this.#copier);
  }
}

/** A copy of an expression whose children are copied by `copy`. */
function copier(copy: (child: Expression) => Expression): ExpressionVisitor<Expression> {
  return {
    constant: (expression) => ({ ...expression }),
    name: (expression) => ({ ...expression }),
    select: (expression) => ({ ...expression, operand: copy(expression.operand) }),
    call: (expression) => ({
      ...expression,
      target: expression.target && copy(expression.target),
      args: expression.args.map(copy),
    }),
    list: (expression) => ({ ...expression, items: expression.items.map(copy) }),
    map: (expression) => ({
      ...expression,
      entries: expression.entries.map((entry) => ({ ...entry, key: copy(entry.key), value: copy(entry.value) })),
    }),
    message: (expression) => ({
      ...expression,
      fields: expression.fields.map((field) => ({ ...field, value: copy(field.value) })),
    }),
    fold: (expression) => ({
      ...expression,
      range: copy(expression.range),
      initial: copy(expression.initial),
      condition: copy(expression.condition),
      step: copy(expression.step),
      result: copy(expression.result),
    }),
  };
}
