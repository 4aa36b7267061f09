import type { FieldSchema, ListSchema, Presence, ScalarType, Schema } from '@coracle/apimachinery';

/**
 * Reads the generated schema lines. A line is the fields of one definition, separated by blanks:
 *
 *     name:string*+#1 ports:[]ContainerPort-!map(containerPort,protocol)!patch(containerPort,merge)#6
 *
 * - after the colon the type: a scalar, a definition (`core-v1/PodSpec`; without its module, one of the same), `[]T` or `{}T`
 * - `*` required; `+` always present; `-` dropped when empty; `~` null when absent
 * - `!atomic`, `!set`, `!map(key,…)` for server-side apply; `!patch(mergeKey,strategy,…)` for strategic merge
 * - `#6` protobuf number; `#1.6` field 6 of the message embedded as field 1
 *
 * `=any` stands for a definition that is no object, a leading `=union` for one whose value is one of the types that
 * follow, and a leading `!atomic` for one that is merged as a whole.
 */
export function parseSchemaText(text: string, module: string, context: SchemaContext): Schema {
  const words = text === '' ? [] : text.split(' ');
  if (words[0] === '=union')
    return { type: 'any', name: context.name, union: Object.fromEntries(parseFields(words.slice(1), module, context)) };
  if (text === '=any') return { type: 'any', name: context.name };
  if (text.startsWith('=')) return scalar(text.slice(1));
  const atomic = words[0] === '!atomic';
  const fields = parseFields(atomic ? words.slice(1) : words, module, context);
  return { type: 'object', name: context.name, fields, ...(atomic && { mapType: 'atomic' as const }) };
}

function parseFields(words: readonly string[], module: string, context: SchemaContext): Map<string, FieldSchema> {
  const fields = new Map<string, FieldSchema>();
  for (const word of words) {
    const field = parseField(word, module, context);
    fields.set(field.name, field);
  }
  return fields;
}

export interface SchemaContext {
  /** The full name of the definition that is being read. */
  readonly name: string;
  /** Finds another definition; types refer to each other and to themselves. */
  resolve(module: string, name: string): Schema;
}

const fieldPattern = /^([^:]+):((?:\[\]|\{\})*)([\w/-]+?)(\*?)([+~-]?)((?:!\w+(?:\([^)]*\))?)*)(?:#([\d.]+))?$/;
const presenceBySign: Readonly<Record<string, Presence>> = {
  '': 'given',
  '-': 'nonzero',
  '+': 'always',
  '~': 'null',
};

function parseField(word: string, module: string, context: SchemaContext): FieldSchema {
  const match = fieldPattern.exec(word);
  if (!match) throw new Error(`bad schema text: ${word}`);
  const [, name = '', wrappers = '', type = '', required, sign = '', marks = '', proto] = match;
  const attributes = parseAttributes(marks);
  return new LazyField({
    name,
    required: required === '*',
    presence: presenceBySign[sign] as Presence,
    patchStrategy: attributes.patchStrategy,
    mapType: attributes.listType === 'atomic' && wrappers !== '[]' ? 'atomic' : undefined,
    proto: proto?.split('.').map(Number),
    resolve: () => wrap(wrappers, () => named(type, module, context), attributes),
  });
}

interface FieldParts {
  readonly name: string;
  readonly required: boolean;
  readonly presence: Presence;
  readonly patchStrategy: FieldSchema['patchStrategy'];
  readonly mapType: FieldSchema['mapType'];
  readonly proto: readonly number[] | undefined;
  readonly resolve: () => Schema;
}

/** Looks its schema up when it is first used, because types refer to themselves (JSONSchemaProps). */
class LazyField implements FieldSchema {
  readonly name: string;
  readonly required: boolean;
  readonly presence: Presence;
  readonly patchStrategy: FieldSchema['patchStrategy'];
  readonly mapType: FieldSchema['mapType'];
  readonly proto: readonly number[] | undefined;
  readonly #resolve: () => Schema;
  #schema: Schema | undefined;

  constructor(parts: FieldParts) {
    this.name = parts.name;
    this.required = parts.required;
    this.presence = parts.presence;
    this.patchStrategy = parts.patchStrategy;
    this.mapType = parts.mapType;
    this.proto = parts.proto;
    this.#resolve = parts.resolve;
  }

  get schema(): Schema {
    this.#schema ??= this.#resolve();
    return this.#schema;
  }
}

type PatchStrategies = NonNullable<ListSchema['patchStrategy']>;

interface Attributes {
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly keys?: readonly string[];
  readonly patchStrategy?: PatchStrategies;
  readonly mergeKey?: string;
}

function parseAttributes(marks: string): Attributes {
  let attributes: Attributes = {};
  for (const [, name = '', values = ''] of marks.matchAll(/!(\w+)(?:\(([^)]*)\))?/g)) {
    if (name === 'patch') {
      const [mergeKey, ...strategies] = values.split(',');
      // The text is the generator's own.
      const patchStrategy = strategies as PatchStrategies;
      attributes = { ...attributes, patchStrategy, ...(mergeKey && { mergeKey }) };
    } else if (name === 'map') attributes = { ...attributes, listType: 'map', keys: values.split(',') };
    else attributes = { ...attributes, listType: name as 'atomic' | 'set' };
  }
  return attributes;
}

function wrap(wrappers: string, inner: () => Schema, attributes: Attributes): Schema {
  if (wrappers.startsWith('[]')) return { type: 'list', items: wrap(wrappers.slice(2), inner, {}), ...attributes };
  if (wrappers.startsWith('{}')) {
    const values = wrap(wrappers.slice(2), inner, {});
    return { type: 'map', values, ...(attributes.listType === 'atomic' && { mapType: 'atomic' }) };
  }
  return inner();
}

const scalars = new Map<string, Schema>(
  (
    [
      'string',
      'boolean',
      'int32',
      'int64',
      'double',
      'bytes',
      'time',
      'microTime',
      'duration',
      'quantity',
      'intOrString',
    ] as ScalarType[]
  ).map((type) => [type, Object.freeze({ type })]),
);
const anything: Schema = Object.freeze({ type: 'any' });

function scalar(type: string): Schema {
  return scalars.get(type) ?? anything;
}

function named(type: string, module: string, context: SchemaContext): Schema {
  if (type === 'any') return anything;
  const entry = scalars.get(type);
  if (entry) return entry;
  const slash = type.indexOf('/');
  return slash < 0 ? context.resolve(module, type) : context.resolve(type.slice(0, slash), type.slice(slash + 1));
}
