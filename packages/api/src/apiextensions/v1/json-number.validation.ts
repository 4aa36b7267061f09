import { type FieldError, invalidField } from '@coracle/apimachinery';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import type { ValuePlace } from './value-place.js';

/** Whether a number is a whole one of 64 bits: larger ones are fractions to upstream. */
export function isInteger(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/** What is wrong with a number by its schema, its type left aside. */
export function checkNumber(value: number, schema: JSONSchemaProps, place: ValuePlace): FieldError[] {
  return [
    ...checkRange(value, schema, place),
    ...checkMultiple(value, schema, place),
    ...checkBounds(value, schema, place),
  ];
}

const ranges: Readonly<Record<string, number>> = { int32: 2 ** 31, uint32: 2 ** 32, float: 3.4028234663852886e38 };

function checkRange(value: number, { type, format = '' }: JSONSchemaProps, { shown }: ValuePlace): FieldError[] {
  const limit = ranges[format];
  const isLarge = limit !== undefined && (value >= limit || value < -limit);
  const isFraction = type === 'integer' && !isInteger(value);
  const isNegative = format.startsWith('uint') && value < 0;
  if (!isLarge && !isFraction && !isNegative) return [];
  const kind = format === '' ? `${type} (default format)` : `${type} with format ${format}`;
  return [invalidField('<nil>', '', `Checked value must be of type ${kind} in ${shown}`)];
}

/** A whole number is compared with whole bounds: fractions are cut off. */
function boundFor(value: number, bound: number): number {
  return isInteger(value) ? Math.trunc(bound) : bound;
}

function checkMultiple(value: number, { multipleOf }: JSONSchemaProps, { path, shown }: ValuePlace): FieldError[] {
  if (multipleOf === undefined) return [];
  const factor = boundFor(value, multipleOf);
  if (factor <= 0)
    return [invalidField(path, factor, `factor MultipleOf declared for ${shown} must be positive: ${factor}`)];
  const quotient = value / factor;
  if (Math.abs(quotient - Math.round(quotient)) <= 1e-9) return [];
  return [invalidField(path, value, `${shown} in body should be a multiple of ${factor}`)];
}

function checkBounds(value: number, schema: JSONSchemaProps, { path, shown }: ValuePlace): FieldError[] {
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
