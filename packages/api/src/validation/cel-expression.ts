import { CelEnvironment, CelError, type FieldError, type FieldPath, invalidField, scoped } from '@coracle/apimachinery';

/** Where an expression stands: the names it may use, and what it must give. */
export interface CelPlace {
  readonly variables: readonly string[];
  /** What the expression must evaluate to; anything if absent. */
  readonly results?: readonly string[];
}

/** One environment for each set of names: they are costly to make and never change. */
const environments = new Map<string, CelEnvironment>();

export function celEnvironmentFor(variables: readonly string[]): CelEnvironment {
  const key = variables.join(' ');
  let environment = environments.get(key);
  if (!environment) {
    environment = new CelEnvironment({ variables: Object.fromEntries(variables.map((name) => [name, 'dyn'])) });
    environments.set(key, environment);
  }
  return environment;
}

/** Compiles an expression. Types of objects are not known here, so only what is wrong with any object is found. */
export function checkCelExpression(path: FieldPath, expression: string, place: CelPlace): FieldError[] {
  const problem = celProblem(expression, place);
  if (problem === undefined) return [];
  return ofExpression(expression, [invalidField(path, expression, `compilation failed: ${problem}`)]);
}

function celProblem(expression: string, { variables, results }: CelPlace): string | undefined {
  try {
    const { type } = celEnvironmentFor(variables).compile(expression);
    return !results || type === 'dyn' || results.includes(type) ? undefined : `must evaluate to ${results[0]}`;
  } catch (error) {
    if (!CelError.is(error)) throw error;
    return error.message;
  }
}

/**
 * Findings about an expression. One that was let in by a server with another version of the language stays, as long as
 * nobody changes a letter of it.
 */
export function ofExpression(expression: string, errors: readonly FieldError[]): FieldError[] {
  return scoped(errors, { newRule: `the expression ${expression}` });
}

const reserved: ReadonlySet<string> = new Set([
  'as',
  'break',
  'const',
  'continue',
  'else',
  'false',
  'for',
  'function',
  'if',
  'import',
  'in',
  'let',
  'loop',
  'namespace',
  'null',
  'package',
  'return',
  'true',
  'var',
  'void',
  'while',
]);

export function isCelIdentifier(name: string): boolean {
  return /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !reserved.has(name);
}
