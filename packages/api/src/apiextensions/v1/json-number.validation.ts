import { type FieldError, type Int64, int64, invalidField } from '@coracle/apimachinery';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import type { ValuePlace } from './value-place.js';

/** Whether a number is an int64: other large ones are fractions to upstream. */
export function isInteger(value: Int64): boolean {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

/** What is wrong with a number by its schema, its type left aside. */
export function checkNumber(value: Int64, schema: JSONSchemaProps, place: ValuePlace): FieldError[] {
  return [
    ...checkRange(value, schema, place),
    ...checkMultiple(value, schema, place),
    ...checkBounds(value, schema, place),
  ];
}

const ranges: Readonly<Record<string, number>> = { int32: 2 ** 31, uint32: 2 ** 32, float: 3.4028234663852886e38 };

function checkRange(value: Int64, { type, format = '' }: JSONSchemaProps, { shown }: ValuePlace): FieldError[] {
  const limit = ranges[format];
  const isLarge = limit !== undefined && (value >= limit || value < -limit);
  const isFraction = type === 'integer' && !isInteger(value);
  const isNegative = format.startsWith('uint') && value < 0;
  if (!isLarge && !isFraction && !isNegative) return [];
  const kind = format === '' ? `${type} (default format)` : `${type} with format ${format}`;
  return [invalidField('<nil>', '', `Checked value must be of type ${kind} in ${shown}`)];
}

const lowest = -(2 ** 63);

/**
 * A whole number is compared with whole bounds: fractions are cut off, and a bound beyond int64 becomes the lowest one,
 * as on upstream's most common processors. Bounds are doubles whatever their text.
 */
function boundFor(value: Int64, bound: number): Int64 {
  if (!isInteger(value)) return bound;
  const whole = Math.trunc(bound);
  return int64(BigInt(whole >= lowest && whole < -lowest ? whole : lowest));
}

function checkMultiple(value: Int64, { multipleOf }: JSONSchemaProps, { path, shown }: ValuePlace): FieldError[] {
  if (multipleOf === undefined) return [];
  const factor = boundFor(value, multipleOf);
  if (factor <= 0)
    return [invalidField(path, factor, `factor MultipleOf declared for ${shown} must be positive: ${factor}`)];
  if (isMultiple(value, factor)) return [];
  return [invalidField(path, value, `${shown} in body should be a multiple of ${factor}`)];
}

function isMultiple(value: Int64, factor: Int64): boolean {
  if (typeof value === 'bigint' || typeof factor === 'bigint') return BigInt(value) % BigInt(factor) === 0n;
  const quotient = value / factor;
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9;
}

function checkBounds(value: Int64, schema: JSONSchemaProps, { path, shown }: ValuePlace): FieldError[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const errors: FieldError[] = [];
  const should = (what: string) => errors.push(invalidField(path, value, `${shown} in body should ${what}`));
  if (maximum !== undefined) {
    const most = boundFor(value, maximum);
    if (exclusiveMaximum ? value >= most : value > most)
      should(`be less than ${exclusiveMaximum ? '' : 'or equal to '}${most}`);
  }
  if (minimum !== undefined) {
    const least = boundFor(value, minimum);
    if (exclusiveMinimum ? value <= least : value < least)
      should(`be greater than ${exclusiveMinimum ? '' : 'or equal to '}${least}`);
  }
  return errors;
}
