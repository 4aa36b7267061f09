import type { CelType } from './values/cel-type.js';
import type { CelValue } from './values/cel-value.js';

export type Implementation = (...args: readonly CelValue[]) => CelValue;

/** One overload of a function: its parameter and result types. */
export interface Overload {
  readonly id: string;
  readonly function: string;
  /** Called as `x.f(y)`; x is then the first parameter. */
  readonly isMember: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  readonly call: Implementation;
}

/** An overload whose function is named where it is declared. */
export type OverloadDeclaration = Omit<Overload, 'function'>;

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly OverloadDeclaration[];
}

interface Signature {
  readonly id: string;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
}

/**
 * A function with as many arguments as its signature has parameters, each of the declared type: the checker ensures
 * that.
 */
type Body<Args extends readonly (CelValue | undefined)[]> = (...args: Args) => CelValue;

/** `f(x)`. */
export function global<Args extends readonly (CelValue | undefined)[]>(
  { id, parameters, result }: Signature,
  call: Body<Args>,
): OverloadDeclaration {
  return { id, isMember: false, parameters, result, call: call as Implementation };
}

/** `x.f()`. */
export function member<Args extends readonly (CelValue | undefined)[]>(
  { id, parameters, result }: Signature,
  call: Body<Args>,
): OverloadDeclaration {
  return { id, isMember: true, parameters, result, call: call as Implementation };
}

export function signature(id: string, parameters: readonly CelType[], result: CelType): Signature {
  return { id, parameters, result };
}

export function declare(name: string, ...overloads: OverloadDeclaration[]): FunctionDeclaration {
  return { name, overloads };
}
