import {
  authorizerType,
  CelEnvironment,
  CelError,
  type CelMessageType,
  type CelType,
  dynType,
  type FieldError,
  type FieldPath,
  invalidField,
  opaqueType,
  scoped,
  stringType,
  ValueMap,
} from '@coracle/apimachinery';

/** Where an expression stands: the names it may use, and what it must give. */
export interface CelPlace {
  readonly variables: readonly string[];
  /** What the expression must evaluate to; anything if absent. */
  readonly results?: readonly string[];
}

/** Variables whose type is known; the others may be anything. */
const knownTypes: Readonly<Record<string, CelType>> = { authorizer: authorizerType };

/** One environment for each set of names. */
const environments = new Map<string, CelEnvironment>();

function environmentFor(variables: readonly string[]): CelEnvironment {
  const key = variables.join(' ');
  let environment = environments.get(key);
  if (!environment) {
    const types = variables.map((name) => [name, knownTypes[name] ?? dynType] as const);
    environment = new CelEnvironment({
      variables: Object.fromEntries(types),
      findMessageType: (name) => (name === 'JSONPatch' ? jsonPatch : undefined),
    });
    environments.set(key, environment);
  }
  return environment;
}

const patchFields: Readonly<Record<string, CelType>> = {
  op: stringType,
  path: stringType,
  from: stringType,
  value: dynType,
};

/** One operation of a patch: `JSONPatch{op: "add", path: "/spec/replicas", value: 3}`. */
const jsonPatch: CelMessageType = {
  type: opaqueType('JSONPatch'),
  fieldType: (field) => patchFields[field],
  create: (fields) => ValueMap.of(fields),
};

/** Compiles an expression. Types of objects are not known here, so only what is wrong with any object is found. */
export function checkCelExpression(path: FieldPath, expression: string, place: CelPlace): FieldError[] {
  const problem = celProblem(expression, place);
  if (problem === undefined) return [];
  return ofExpression(expression, [invalidField(path, expression, `compilation failed: ${problem}`)]);
}

function celProblem(expression: string, { variables, results }: CelPlace): string | undefined {
  try {
    const { type } = environmentFor(variables).compile(expression);
    if (!results || type.kind === 'dyn' || results.includes(type.text)) return undefined;
    return `must evaluate to ${results[0]}`;
  } catch (error) {
    if (!CelError.is(error)) throw error;
    return error.message;
  }
}

/**
 * Errors about an expression. One that was let in by a server with another version of the language stays, as long as
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
