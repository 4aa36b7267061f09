import type { admissionregistrationv1 } from '@coracle/api';
import { aggregate, CelError } from '@coracle/apimachinery';
import type { CompiledExpression, ExpressionEnvironment, ExpressionVariables } from './expression-environment.js';

type MatchCondition = admissionregistrationv1.MatchCondition;

export type MatchOutcome =
  | { readonly kind: 'matches' }
  /** The condition that is false. */
  | { readonly kind: 'differs'; readonly name: string }
  | { readonly kind: 'error'; readonly message: string };

const matches: MatchOutcome = { kind: 'matches' };

/** CEL match conditions, compiled on first use. */
export class MatchConditions {
  readonly #conditions: readonly MatchCondition[];
  readonly #environment: ExpressionEnvironment;
  #compiled: readonly { readonly name: string; readonly program: CompiledExpression }[] | undefined;

  constructor(conditions: readonly MatchCondition[], environment: ExpressionEnvironment) {
    this.#conditions = conditions;
    this.#environment = environment;
  }

  get isEmpty(): boolean {
    return this.#conditions.length === 0;
  }

  /** A false condition takes precedence over conditions that fail. */
  evaluate(variables: ExpressionVariables): MatchOutcome {
    this.#compiled ??= this.#conditions.map(({ name, expression }) => ({
      name,
      program: this.#environment.compile(expression),
    }));
    const errors: string[] = [];
    for (const { name, program } of this.#compiled) {
      try {
        if (program.evaluate(variables) !== true) return { kind: 'differs', name };
      } catch (error) {
        if (!CelError.is(error)) throw error;
        errors.push(`expression '${program.source}' resulted in error: ${error.message}`);
      }
    }
    return errors.length === 0 ? matches : { kind: 'error', message: aggregate(errors) };
  }
}
