import { type CelValue, EvaluationFailure, type FromJson, int64OfDouble } from '@coracle/apimachinery';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';

/**
 * Values of the types that schemas have. A value that an update leaves as it was may be of another type: it fails when
 * an expression reads it.
 */
function ofType(expected: string, read: (json: unknown) => CelValue | undefined): FromJson {
  return (json) => read(json) ?? invalid(`expected ${expected}, got ${goType(json)}`);
}

function invalid(problem: string): never {
  throw new EvaluationFailure(`invalid data, ${problem}`);
}

function goType(json: unknown): string {
  if (Array.isArray(json)) return '[]interface {}';
  if (typeof json === 'bigint') return 'int64';
  if (typeof json === 'number') return Number.isSafeInteger(json) ? 'int64' : 'float64';
  if (typeof json === 'boolean') return 'bool';
  return typeof json === 'string' ? 'string' : 'map[string]interface {}';
}

function intOf(json: unknown): bigint | undefined {
  if (typeof json === 'bigint') return json;
  const whole = typeof json === 'number' ? int64OfDouble(json) : undefined;
  return whole === undefined ? undefined : BigInt(whole);
}

const textOf = (json: unknown) => (typeof json === 'string' ? json : undefined);

export const textFromJson = ofType('string', textOf);
export const boolFromJson = ofType('bool', (json) => (typeof json === 'boolean' ? json : undefined));
export const doubleFromJson = ofType('float', (json) =>
  typeof json === 'number' || typeof json === 'bigint' ? Number(json) : undefined,
);
export const intFromJson = ofType('int', intOf);

export const intOrText: FromJson = (json) =>
  textOf(json) ?? intOf(json) ?? invalid('expected XIntOrString value to be either a string or integer');

export const noList = (): never => invalid('expected an array for the provided schema with type=array');
export const noMap = (): never => invalid('expected a map for the provided schema with type=object');

/** Null is a value of what is nullable. */
export function checkingNull({ nullable }: JSONSchemaProps, read: FromJson): FromJson {
  return (json) => {
    if (json !== null && json !== undefined) return read(json);
    return nullable ? null : invalid('got null for schema with nullable=false');
  };
}
