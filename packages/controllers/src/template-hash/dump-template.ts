import type { PodTemplateSpec } from '@coracle/api';
import { isRecord } from '@coracle/base';
import { dumpQuantity } from './go-quantity.js';
import { type GoField, goStruct } from './go-structs.js';

/**
 * A template as Go's `%#v` with types writes it, the text that upstream hashes: every field of every struct in the
 * order of its declaration, whether it is set or not. Empty lists and maps are nil, because protobuf does not
 * distinguish them.
 */
export function dumpTemplate(template: PodTemplateSpec | undefined): string {
  return typed('PodTemplateSpec', template);
}

const scalars: ReadonlySet<string> = new Set(['string', 'bool', 'int32', 'int64', 'uint8']);
const foreignNames: Readonly<Record<string, string>> = {
  map: 'map[string]string',
  Quantity: 'resource.Quantity',
  IntOrString: 'intstr.IntOrString',
  'types.UID': 'types.UID',
};
const scalarZeros: Readonly<Record<string, string>> = { bool: 'false', int32: '0', int64: '0', uint8: '0' };

/** `(type)value`. */
function typed(type: string, value: unknown): string {
  if (type.startsWith('*') && value === undefined) return `(${goName(type)})<nil>`;
  return `(${goName(type)})${bare(type.startsWith('*') ? type.slice(1) : type, value)}`;
}

function goName(type: string): string {
  const [, prefix = '', name = ''] = /^(\*|\[\])?(.*)$/.exec(type) ?? [];
  return `${prefix}${scalars.has(name) ? name : (foreignNames[name] ?? `v1.${name}`)}`;
}

/** The value without its type, which is how elements of lists and maps are written. */
function bare(type: string, value: unknown): string {
  if (type.startsWith('[]')) return list(type.slice(2), value);
  const struct = goStruct(type);
  if (struct) return structFields(struct, isRecord(value) ? value : {});
  switch (type) {
    case 'map':
      return map(value, String);
    case 'ResourceList':
      return map(value, (quantity) => dumpQuantity(String(quantity)));
    case 'Quantity':
      return dumpQuantity(value === undefined ? '' : String(value));
    case 'IntOrString':
      return intOrString(value);
    case 'Time':
      return time(value);
    default:
      return String(value ?? scalarZeros[type] ?? '');
  }
}

function list(type: string, value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return '<nil>';
  return `[${value.map((element) => bare(type, element)).join(' ')}]`;
}

function map(value: unknown, write: (element: unknown) => string): string {
  const entries = Object.entries(isRecord(value) ? value : {});
  if (entries.length === 0) return '<nil>';
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, element]) => `${key}:${write(element)}`).join(' ')}]`;
}

function structFields(fields: readonly GoField[], value: Readonly<Record<string, unknown>>): string {
  const texts = fields.map(
    ({ name, json, type }) => `${name}:${typed(type, json === undefined ? value : value[json])}`,
  );
  return `{${texts.join(' ')}}`;
}

function intOrString(value: unknown): string {
  const [type, int, text] = typeof value === 'string' ? [1, 0, value] : [0, value ?? 0, ''];
  return `{Type:(intstr.Type)${type} IntVal:(int32)${int} StrVal:(string)${text}}`;
}

/** Seconds from the year 1 to 1970. */
const secondsBeforeUnix = 62_135_596_800;

function time(value: unknown): string {
  const seconds = value ? Math.floor(Date.parse(String(value)) / 1_000) + secondsBeforeUnix : 0;
  return `{Time:(time.Time){wall:(uint64)0 ext:(int64)${seconds} loc:(*time.Location)<nil>}}`;
}
