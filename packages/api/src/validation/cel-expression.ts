import { CelEnvironment, CelError, type FieldError, type FieldPath, invalidField } from '@coracle/apimachinery';

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
export function checkCelExpression(
  path: FieldPath,
  expression: string,
  { variables, results }: CelPlace,
  shown: unknown = expression,
): FieldError[] {
  try {
    const { type } = celEnvironmentFor(variables).compile(expression);
    if (!results || type === 'dyn' || results.includes(type)) return [];
    return [invalidField(path, shown, `compilation failed: must evaluate to ${results[0]}`)];
  } catch (error) {
    if (!CelError.is(error)) throw error;
    return [invalidField(path, shown, `compilation failed: ${error.message}`)];
  }
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
