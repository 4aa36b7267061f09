import { parseDuration } from '@coracle/apimachinery';
import { isRecord, ownValue } from '@coracle/base';
import type { Shape, Struct } from './configuration-shape.js';

/** Type errors of a value, with the messages of Go's decoder. */
export interface ShapeProblems {
  /** A value of the wrong type, whose content cannot be checked. */
  readonly mistyped: readonly string[];
  /** Unknown fields, as paths from the value. */
  readonly unknown: readonly string[];
}

/** The path of a value. */
interface Place {
  /** The Go struct that contains it, without its package. */
  readonly struct: string;
  /** `profiles.pluginConfig`: without list indexes. */
  readonly fields: readonly string[];
  /** `profiles[0].pluginConfig[1]`. */
  readonly path: string;
}

export function checkShape(value: unknown, shape: Struct): ShapeProblems {
  const mistyped: string[] = [];
  const unknown: string[] = [];
  check(value, shape, { struct: '', fields: [], path: '' });
  return { mistyped, unknown };

  function check(value: unknown, shape: Shape, place: Place): void {
    // An absent value is the zero value of every type.
    if (shape === 'any' || value === null || value === undefined) return;
    if (typeof shape === 'string') checkScalar(value, shape, place);
    else if (!('struct' in shape)) checkList(value, shape, place);
    else if (!isRecord(value)) mismatch(value, shape, place);
    else {
      for (const [name, one] of Object.entries(value)) {
        const path = place.path === '' ? name : `${place.path}.${name}`;
        const field = ownValue(shape.fields, name);
        const fields = [...place.fields, name];
        if (field === undefined) unknown.push(path);
        else check(one, field, { struct: shape.struct.replace(/^.*\./, ''), fields, path });
      }
    }
  }

  function checkList(value: unknown, shape: readonly [Shape], place: Place): void {
    if (!Array.isArray(value)) mismatch(value, shape, place);
    else
      value.forEach((one, index) => {
        check(one, shape[0], { ...place, path: `${place.path}[${index}]` });
      });
  }

  function checkScalar(value: unknown, shape: Shape & string, place: Place): void {
    if (isOf(value, shape)) return;
    if (shape === 'Duration' && typeof value === 'string')
      mistyped.push(`time: invalid duration ${JSON.stringify(value)}`);
    else mismatch(value, shape, place);
  }

  function mismatch(value: unknown, shape: Shape, { struct, fields }: Place): void {
    const where = struct === '' ? 'value' : `struct field ${struct}.${fields.join('.')}`;
    mistyped.push(`json: cannot unmarshal ${jsonKindOf(value)} into Go ${where} of type ${typeName(shape)}`);
  }
}

function isOf(value: unknown, type: Shape & string): boolean {
  if (type === 'string') return typeof value === 'string';
  if (type === 'bool') return typeof value === 'boolean';
  if (type === 'Duration') return typeof value === 'string' && parseDuration(value) !== undefined;
  if (type === 'float32') return typeof value === 'number';
  const limit = type === 'int32' ? 2 ** 31 : Number.MAX_SAFE_INTEGER;
  return Number.isInteger(value) && (value as number) >= -limit && (value as number) < limit;
}

function jsonKindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return `number ${value}`;
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function typeName(shape: Shape): string {
  if (typeof shape === 'string') return shape === 'Duration' ? 'string' : shape;
  return 'struct' in shape ? shape.struct : `[]${typeName(shape[0])}`;
}
