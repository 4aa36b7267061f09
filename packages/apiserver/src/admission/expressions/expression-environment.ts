import { CelEnvironment, CelError, type CelProgram, toCel } from '@coracle/apimachinery';

/** The values that expressions may use, by name. */
export type ExpressionVariables = Readonly<Record<string, unknown>>;

/** An expression that can be asked again and again. One that does not compile fails whenever it is asked. */
export interface CompiledExpression {
  readonly source: string;
  evaluate(variables: ExpressionVariables): unknown;
}

/** Compiles the expressions of webhooks and policies. */
export interface ExpressionEnvironment {
  compile(expression: string): CompiledExpression;
}

/** Names that all expressions of admission may use. */
const requestNames = ['object', 'oldObject', 'request', 'authorizer', 'namespaceObject', 'params', 'variables'];

export function createExpressionEnvironment(): ExpressionEnvironment {
  let environment: CelEnvironment | undefined;
  const compile = (expression: string): CelProgram | CelError => {
    environment ??= new CelEnvironment({ variables: Object.fromEntries(requestNames.map((name) => [name, 'dyn'])) });
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
          return program.evaluate(
            Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, toCel(value)])),
          );
        },
      };
    },
  };
}
