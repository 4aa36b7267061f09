import { admissionVariables } from '@coracle/api';
import {
  CelEnvironment,
  CelError,
  CelMap,
  CelOpaque,
  type CelProgram,
  type CelValue,
  fromJson,
  toJson,
} from '@coracle/apimachinery';

/** The values that expressions may use, by name. */
export type ExpressionVariables = Readonly<Record<string, unknown>>;

/** A compiled expression. One that does not compile fails at each evaluation. */
export interface CompiledExpression {
  readonly source: string;
  evaluate(variables: ExpressionVariables): unknown;
}

/** Compiles the expressions of webhooks and policies. */
export interface ExpressionEnvironment {
  compile(expression: string): CompiledExpression;
}

/** Names that all admission expressions may use. */
const variableNames = ['object', 'oldObject', 'request', 'authorizer', 'namespaceObject', 'params', 'variables'];

/** CEL values pass through unchanged; everything else is converted from JSON. */
function asCel(value: unknown): CelValue {
  return value instanceof CelOpaque || value instanceof CelMap ? value : fromJson(value);
}

export function createExpressionEnvironment(): ExpressionEnvironment {
  let environment: CelEnvironment | undefined;
  const compile = (expression: string): CelProgram | CelError => {
    environment ??= new CelEnvironment({ variables: admissionVariables(variableNames) });
    try {
      return environment.compile(expression);
    } catch (error) {
      if (CelError.is(error)) return error;
      throw error;
    }
  };
  return {
    compile: (source) => {
      const program = compile(source);
      return {
        source,
        evaluate: (variables) => {
          if (CelError.is(program)) throw program;
          const values = Object.entries(variables).map(([name, value]) => [name, asCel(value)] as const);
          return toJson(program.evaluate(Object.fromEntries(values)));
        },
      };
    },
  };
}
