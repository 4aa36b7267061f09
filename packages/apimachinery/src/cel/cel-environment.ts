import { CelError } from './cel-error.js';
import { CelProgram } from './cel-program.js';
import { checkLiterals } from './check/check-literals.js';
import { checkTypes, type Declarations } from './check/checker.js';
import { Planner } from './evaluate/planner.js';
import { functionTable, standardFunctions, standardTypes } from './library/standard-library.js';
import { findWellKnownMessage } from './library/well-known-messages.js';
import type { FunctionDeclaration } from './overload.js';
import { parseExpression } from './syntax/parser.js';
import type { CelType } from './values/cel-type.js';
import { EvaluationFailure } from './values/evaluation-failure.js';
import type { FindMessageType } from './values/message-type.js';

export interface CelEnvironmentOptions {
  /** The names that expressions may use, with their types. */
  readonly variables: Readonly<Record<string, CelType>>;
  /** Functions that only this place has. */
  readonly functions?: readonly FunctionDeclaration[];
  /** Types that expressions may make values of, beside those of protobuf. */
  readonly findMessageType?: FindMessageType;
}

/**
 * Compiles expressions with declared variables and the CEL functions of Kubernetes v1.36. A rule is parsed,
 * type-checked and compiled into a program that counts its cost.
 */
export class CelEnvironment {
  readonly #declarations: Declarations;
  /** The places of the variables in a frame. */
  readonly #slots: ReadonlyMap<string, number>;

  constructor({ variables, functions, findMessageType }: CelEnvironmentOptions) {
    this.#declarations = {
      variables: new Map(Object.entries(variables)),
      functions: functions ? functionTable(functions, standardFunctions) : standardFunctions,
      types: standardTypes,
      findMessageType: (name) => findMessageType?.(name) ?? findWellKnownMessage(name),
    };
    this.#slots = new Map(Object.keys(variables).map((name, slot) => [name, slot]));
  }

  /** Throws a `CelError` that shows every place that is wrong. */
  compile(text: string): CelProgram {
    const { expression, source } = parseExpression(text);
    const issues = checkTypes(expression, this.#declarations);
    if (issues.length > 0) throw source.describe(issues);
    const literalIssues = checkLiterals(expression);
    if (literalIssues.length > 0) throw source.describe(literalIssues);
    try {
      const { types, findMessageType } = this.#declarations;
      const plan = new Planner({ variables: this.#slots, types, findMessageType }).plan(expression);
      return new CelProgram(expression, plan, this.#slots);
    } catch (error) {
      if (error instanceof EvaluationFailure) throw new CelError('program', error.message);
      throw error;
    }
  }
}
