import { deepCopy, isRecord } from '@coracle/base';
import { maxStrictErrors } from './decode-json.js';
import { type DecodePath, formatPath } from './decode-path.js';
import { decodeLiteral, decodeScalar } from './decode-scalar.js';
import { keyPositions } from './find-duplicates.js';
import type { AnySchema, FieldSchema, ListSchema, MapSchema, ObjectSchema, ScalarSchema, Schema } from './schema.js';
import { badRequest, type StatusError } from './status-error.js';

export interface DecodedObject<T = Record<string, unknown>> {
  readonly object: T;
  /** Full paths of the fields that were dropped because the schema does not have them: `spec.containers[0].foo`. */
  readonly unknownFields: string[];
  /** Empty lists or maps were kept that the canonical form does not have; see `DecodeOptions`. */
  readonly holdsEmpty?: true;
}

export interface DecodeOptions {
  /**
   * Keeps `[]` and `{}` inside of atomic lists. For upstream such a list differs if an item has an empty list instead
   * of none, though it is stored alike. Decode once more to drop them.
   */
  readonly keepsEmptyInLists?: boolean;
  /** Keeps the low 32 bits of an integer that is too large, as upstream does with what it merged, not read. */
  readonly wrapsIntegers?: boolean;
  /** How numbers are written that do not look like integers, by their paths; see `decimalLiterals`. */
  readonly literals?: ReadonlyMap<string, string> | undefined;
}

/**
 * Validates a parsed value against its schema and converts it to canonical form: unknown fields and `null`s are
 * dropped, empty values are dropped or added as `FieldSchema.presence` defines, times and quantities are normalized. A
 * value of a wrong type is a `StatusError`. The result shares nothing with `value`.
 */
export function decodeObject<T = Record<string, unknown>>(
  value: unknown,
  schema: ObjectSchema,
  options?: DecodeOptions,
): DecodedObject<T> {
  return decodeOwnedObject(deepCopy(value), schema, options);
}

/** The same for a value that is not shared, such as one just parsed: it is changed in place, which is far cheaper. */
export function decodeOwnedObject<T = Record<string, unknown>>(
  value: unknown,
  schema: ObjectSchema,
  options: DecodeOptions = {},
): DecodedObject<T> {
  const run = newRun(options);
  try {
    const object = decoderOf(schema)(value, run) as T;
    const decoded = { object, unknownFields: run.unknown };
    return run.holdsEmpty ? { ...decoded, holdsEmpty: true } : decoded;
  } catch (error) {
    throw error instanceof WrongValue ? describe(error, schema, run.path.slice(0, run.depth)) : error;
  }
}

/** Problems of a body that the decoded object cannot show. */
export interface StrictErrors {
  readonly unknownFields: readonly string[];
  readonly duplicateFields: readonly string[];
  /** Errors of the reader of another format, with its messages. */
  readonly problems?: readonly string[] | undefined;
  /** The JSON in whose order the fields are reported. Without it duplicates come first. */
  readonly text?: string | undefined;
}

/** The error of strict field validation, or `undefined` if there is none. */
export function strictDecodingError(strictErrors: StrictErrors): string | undefined {
  const all = describeStrictErrors(strictErrors);
  return all.length === 0 ? undefined : `strict decoding error: ${all.join(', ')}`;
}

/** The warnings of `fieldValidation=Warn`, one by one: `unknown field "spec.foo"`. */
export function decodingWarnings(strictErrors: StrictErrors): string[] {
  // A warning is one line.
  return describeStrictErrors(strictErrors).map((text) => text.replace(/\n\s*/g, ' '));
}

function describeStrictErrors(strictErrors: StrictErrors): string[] {
  const { problems = [], duplicateFields, unknownFields, text } = strictErrors;
  const fields = [
    ...duplicateFields.map((path) => ({ path, kind: 'duplicate' as const })),
    ...unknownFields.map((path) => ({ path, kind: 'unknown' as const })),
  ];
  const errors = text === undefined || fields.length < 2 ? fields : inOrderOf(text, fields);
  return [...problems, ...errors.map(({ path, kind }) => `${kind} field "${path}"`)];
}

interface StrictFieldError {
  readonly path: string;
  readonly kind: 'duplicate' | 'unknown';
}

/** In the order of a streaming decoder that skips unknown fields. */
function inOrderOf(text: string, fields: readonly StrictFieldError[]): StrictFieldError[] {
  const unknown = fields.filter(({ kind }) => kind === 'unknown').map(({ path }) => path);
  const isSkipped = (path: string) =>
    unknown.some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`));
  const positions = keyPositions(text, new Set(fields.map(({ path }) => path)));
  const positionOf = ({ path, kind }: StrictFieldError) => {
    const { first = 0, second = first } = positions.get(path) ?? {};
    return kind === 'unknown' ? first : second;
  };
  return fields
    .filter(({ path, kind }) => kind === 'unknown' || !isSkipped(path))
    .sort((a, b) => positionOf(a) - positionOf(b));
}

interface Run {
  /** The position of the decoder, in its first `depth` entries. It is unchanged after a failure. */
  readonly path: (string | number)[];
  /** A separate count, because truncating an array at every step is slow. */
  depth: number;
  readonly unknown: string[];
  readonly keepsEmptyInLists: boolean;
  readonly wrapsIntegers: boolean;
  readonly literals: ReadonlyMap<string, string> | undefined;
  /** The number of atomic lists around it. */
  wholeLists: number;
  holdsEmpty: boolean;
}

function newRun({ keepsEmptyInLists = false, wrapsIntegers = false, literals }: DecodeOptions): Run {
  const options = { keepsEmptyInLists, wrapsIntegers, literals };
  return { path: [], depth: 0, unknown: [], ...options, wholeLists: 0, holdsEmpty: false };
}

type Decoder = (value: unknown, run: Run) => unknown;

/** Carries the message only; the path is in the run. */
class WrongValue extends Error {
  readonly what: string;

  constructor(what: string) {
    super();
    this.what = what;
  }
}

/** Schemas never change, so decoders are cached without expiry. */
const decoders = /* @__PURE__ */ new WeakMap<Schema, Decoder>();

function decoderOf(schema: Schema): Decoder {
  let decoder = decoders.get(schema);
  if (!decoder) {
    decoder = makeDecoder(schema);
    decoders.set(schema, decoder);
  }
  return decoder;
}

function makeDecoder(schema: Schema): Decoder {
  switch (schema.type) {
    case 'any':
      return schema.union ? unionDecoder(schema.union) : (value) => value;
    case 'list':
      return listDecoder(schema);
    case 'map':
      return mapDecoder(schema);
    case 'object':
      return objectDecoder(schema);
    default:
      return scalarDecoder(schema);
  }
}

function scalarDecoder({ type }: ScalarSchema): Decoder {
  // The common types are distinguished without a call.
  if (type === 'string') return (value) => (typeof value === 'string' ? value : refuse(value, type));
  if (type === 'boolean') return (value) => (typeof value === 'boolean' ? value : refuse(value, type));
  return (value, run) => {
    const literal = run.literals?.get(formatPath(run.path.slice(0, run.depth)));
    const sent = run.wrapsIntegers && type === 'int32' ? wrapped(value) : value;
    const decoded = literal === undefined ? decodeScalar(type, sent) : decodeLiteral(type, literal);
    if (typeof decoded === 'object') throw new WrongValue(decoded.problem);
    return decoded;
  };
}

function wrapped(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(BigInt.asIntN(32, value));
  return Number.isInteger(value) ? (value as number) | 0 : value;
}

/** A value of none of the union's types is left to validation, unless it is neither a flag nor a schema. */
function unionDecoder(union: NonNullable<AnySchema['union']>): Decoder {
  return (value, run) => {
    const field = Array.isArray(value) ? union.list : isRecord(value) ? union.object : undefined;
    if (union.boolean && !field && typeof value !== 'boolean') throw new WrongValue('boolean or JSON schema expected');
    if (!field) return value;
    // Such a value decodes itself, and does not report unknown fields.
    const errorCount = run.unknown.length;
    const decoded = decoderOf(field.schema)(value, run);
    run.unknown.length = errorCount;
    return decoded;
  };
}

function listDecoder({ items, listType = 'atomic', lenient }: ListSchema): Decoder {
  let decodeItem: Decoder | undefined;
  const whole = listType === 'atomic' ? 1 : 0;
  return (value, run) => {
    if (!Array.isArray(value)) return lenient ? value : refuse(value, 'list');
    decodeItem ??= decoderOf(items);
    const depth = run.depth++;
    run.wholeLists += whole;
    for (let i = 0; i < value.length; i++) {
      run.path[depth] = i;
      const item: unknown = value[i];
      const decoded = item === null ? (lenient ? null : emptyValue(items)) : decodeItem(item, run);
      if (decoded !== item) value[i] = decoded;
    }
    run.wholeLists -= whole;
    run.depth = depth;
    return value;
  };
}

function mapDecoder({ values, lenient }: MapSchema): Decoder {
  let decodeValue: Decoder | undefined;
  return (value, run) => {
    if (!isRecord(value)) return lenient ? value : refuse(value, 'map');
    decodeValue ??= decoderOf(values);
    const depth = run.depth++;
    for (const key in value) {
      run.path[depth] = key;
      const item = value[key];
      const decoded = item === null ? (lenient ? null : emptyValue(values)) : decodeValue(item, run);
      if (decoded !== item) put(value, key, decoded);
    }
    run.depth = depth;
    return value;
  };
}

interface FieldDecoder {
  readonly decode: Decoder;
  readonly dropsEmpty: boolean;
  readonly keepsNull: boolean;
}

function objectDecoder(schema: ObjectSchema): Decoder {
  const fields = new Map<string, FieldDecoder>();
  const filled = [...schema.fields.values()].filter(({ presence }) => presence === 'always' || presence === 'null');
  const keepUnknown = schema.preserveUnknown === true;
  return (value, run) => {
    if (!isRecord(value)) return schema.lenient ? value : refuse(value, shortName(schema));
    let dropped: Set<string> | undefined;
    let strays = 0;
    const depth = run.depth++;
    for (const key in value) {
      const item = value[key];
      run.path[depth] = key;
      const field = fields.get(key) ?? fieldDecoder(fields, schema, key);
      if (field === undefined) {
        if (keepUnknown) continue;
        if (run.unknown.length < maxStrictErrors) run.unknown.push(formatPath(run.path.slice(0, run.depth)));
        strays++;
      } else if (item === null || item === undefined) {
        if (!field.keepsNull || item === undefined) (dropped ??= new Set()).add(key);
      } else {
        const decoded = field.decode(item, run);
        if (field.dropsEmpty && isEmpty(decoded) && !staysEmpty(decoded, run)) (dropped ??= new Set()).add(key);
        else if (decoded !== item) value[key] = decoded;
      }
    }
    run.depth = depth;
    const object = strays > 0 ? onlyKnown(value, schema, dropped) : dropped ? without(value, dropped) : value;
    for (const field of filled)
      if (object[field.name] === undefined)
        object[field.name] = field.presence === 'null' ? null : emptyValue(field.schema);
    return object;
  };
}

/** Only lists and maps can be empty and yet be there. */
function staysEmpty(value: unknown, run: Run): boolean {
  if (!run.keepsEmptyInLists || run.wholeLists === 0 || typeof value !== 'object') return false;
  run.holdsEmpty = true;
  return true;
}

/** The fields that the schema has. However many others there are, only these cost time. */
function onlyKnown(
  object: Readonly<Record<string, unknown>>,
  schema: ObjectSchema,
  dropped: ReadonlySet<string> | undefined,
): Record<string, unknown> {
  const rest: Record<string, unknown> = {};
  for (const name of schema.fields.keys())
    if (Object.hasOwn(object, name) && !dropped?.has(name)) put(rest, name, object[name]);
  return rest;
}

/** A new object, because an engine keeps one with deleted keys as a slow dictionary from then on. */
function without(object: Readonly<Record<string, unknown>>, dropped: ReadonlySet<string>): Record<string, unknown> {
  const rest: Record<string, unknown> = {};
  for (const key in object) if (!dropped.has(key)) put(rest, key, object[key]);
  return rest;
}

/** Made when a field is first met: types refer to themselves, and most objects use few of their fields. */
function fieldDecoder(fields: Map<string, FieldDecoder>, schema: ObjectSchema, key: string): FieldDecoder | undefined {
  const field = schema.fields.get(key);
  if (!field) return undefined;
  const { presence } = field;
  const made = {
    decode: decoderOf(field.schema),
    dropsEmpty: presence === 'nonzero',
    keepsNull: presence === 'sent',
  };
  fields.set(key, made);
  return made;
}

/** The value of a required field that is absent, according to its `Presence`. */
export function emptyValue(schema: Schema): unknown {
  switch (schema.type) {
    case 'boolean':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return 0;
    case 'quantity':
      return '0';
    case 'duration':
      return '0s';
    case 'time':
    case 'microTime':
    case 'any':
    case 'bytes':
    case 'list':
    case 'map':
      return null;
    case 'object':
      return decoderOf(schema)({}, newRun({}));
    default:
      return '';
  }
}

function isEmpty(value: unknown): boolean {
  if (value === '' || value === 0 || value === false) return true;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}

/** Sets an own property even where the key is `__proto__`. */
function put(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

const goTypes: Readonly<Record<string, string>> = {
  boolean: 'bool',
  list: '[]',
  map: 'map',
};

function refuse(value: unknown, expectedType: string): never {
  throw new WrongValue(`cannot unmarshal ${jsonType(value)} into ${expectedType}`);
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/**
 * `json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`; but a type that
 * decodes itself, as a quantity does, has no field in its error.
 */
function describe({ what }: WrongValue, root: ObjectSchema, path: DecodePath): StatusError {
  const match = /^cannot unmarshal (.*) into (\S+)$/.exec(what);
  if (!match) return badRequest(what);
  const [, actualType = '', expectedType = ''] = match;
  const type = goTypes[expectedType] ?? expectedType;
  if (path.length === 0) return badRequest(`json: cannot unmarshal ${actualType} into Go value of type ${type}`);
  const field = `${ownerName(root, path)}.${formatPath(path)}`;
  return badRequest(`json: cannot unmarshal ${actualType} into Go struct field ${field} of type ${type}`);
}

/** The name of the innermost type on the way to `path` whose field it is. */
function ownerName(root: ObjectSchema, path: DecodePath): string {
  let owner: ObjectSchema = root;
  let schema: Schema | undefined = root;
  for (const step of path) {
    if (schema?.type === 'object') {
      owner = schema;
      const field: FieldSchema | undefined = schema.fields.get(String(step));
      schema = field?.schema;
    } else if (schema?.type === 'list') schema = schema.items;
    else if (schema?.type === 'map') schema = schema.values;
  }
  return shortName(owner);
}

function shortName({ name }: ObjectSchema): string {
  return name.slice(name.lastIndexOf('.') + 1) || 'object';
}
