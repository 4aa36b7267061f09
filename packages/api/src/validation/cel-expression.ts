import {
  CelEnvironment,
  CelError,
  type CelType,
  type FieldError,
  type FieldPath,
  invalidField,
  objectType,
  scoped,
} from '@coracle/apimachinery';
import { admissionVariables, policyFunctions } from './admission-expressions.js';
import { findPolicyType } from './policy-objects.js';

/** The place of an expression: its variables, and its result type. */
export interface CelPlace {
  readonly variables: readonly string[];
  /** Types of variables, where they are more specific than usual. */
  readonly types?: Readonly<Record<string, CelType>>;
  /** Types of the policy's `variables`. */
  readonly variableTypes?: ReadonlyMap<string, CelType> | undefined;
  /** Required result type; any if absent. */
  readonly results?: readonly string[];
  /** Whether the expression may make objects and patches, as those of mutating policies do. */
  readonly makesObjects?: boolean;
}

/** One environment for each set of names. */
const environments = new Map<string, CelEnvironment>();

function environmentFor(place: CelPlace): CelEnvironment {
  const { variables, variableTypes } = place;
  if (variableTypes) return createEnvironment(place);
  const key = variables.join(' ');
  let environment = environments.get(key);
  if (!environment) {
    environment = createEnvironment(place);
    environments.set(key, environment);
  }
  return environment;
}

function createEnvironment({ variables: names, types, variableTypes, makesObjects }: CelPlace): CelEnvironment {
  const declared = { ...admissionVariables(names), ...types };
  const variables = variableTypes
    ? { ...declared, variables: objectType('kubernetes.variables', variableTypes) }
    : declared;
  if (!makesObjects) return new CelEnvironment({ variables });
  return new CelEnvironment({ variables, functions: policyFunctions, findMessageType: findPolicyType });
}

/** The result type of an expression; `undefined` if it does not compile. */
export function celTypeOf(expression: string, place: CelPlace): CelType | undefined {
  try {
    return environmentFor(place).compile(expression).type;
  } catch (error) {
    if (CelError.is(error)) return undefined;
    throw error;
  }
}

/**
 * Compiles an expression. Types of objects are not known here, so only errors that are independent of them are found.
 */
export function checkCelExpression(path: FieldPath, expression: string, place: CelPlace): FieldError[] {
  const problem = celProblem(expression, place);
  if (problem === undefined) return [];
  return ofExpression(expression, [invalidField(path, expression, problem)]);
}

/** Why an expression is invalid in its place, with the compiler's message. */
export function celProblem(expression: string, place: CelPlace): string | undefined {
  const { results } = place;
  try {
    const { type } = environmentFor(place).compile(expression);
    if (!results || type.kind === 'dyn' || results.includes(type.text)) return undefined;
    if (results.length === 1) return `must evaluate to ${results[0]} but got ${type}`;
    return `compilation failed: must evaluate to ${results[0]}`;
  } catch (error) {
    if (!CelError.is(error)) throw error;
    return `compilation failed: ${error.message}`;
  }
}

/**
 * Errors about an expression. One that a server with another version of the language has accepted stays valid
 * while it is unchanged.
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
