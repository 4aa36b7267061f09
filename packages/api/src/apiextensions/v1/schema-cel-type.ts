import {
  boolType,
  bytesType,
  CelMap,
  CelType,
  type CelValue,
  doubleType,
  durationType,
  dynType,
  type FromJson,
  intType,
  JsonList,
  JsonMap,
  listType,
  mapType,
  maxRequestBytes,
  stringType,
  timestampType,
  toJson,
  writeJson,
} from '@coracle/apimachinery';
import { deepEqual, isRecord, ownValue } from '@coracle/base';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import { celFieldNames } from './cel-field-names.js';
import { bytesFromText, dateFromText, durationFromText, timeFromText } from './cel-texts.js';
import {
  boolFromJson,
  checkingNull,
  doubleFromJson,
  intFromJson,
  intOrText,
  noList,
  noMap,
  textFromJson,
} from './cel-values.js';
import { itemSchema } from './schema-parts.js';

/** The size limit of requests. */
const longestText = maxRequestBytes - 2;
const mostBytesOfCharacter = 4;

/** The CEL type of a schema: the type, the maximum size of its values, and how they are read from JSON. */
export interface SchemaCelType {
  readonly type: CelType;
  /** Maximum number of bytes, items or entries of a value; 0 if there are none. */
  readonly maxElements: number;
  /** The least that a value takes in a request. */
  readonly minBytes: number;
  readonly fromJson: FromJson;
  /** Of an object, by its name in expressions. */
  readonly field?: (name: string) => SchemaField | undefined;
  /** Of a list's items, or a map's values. */
  readonly elements?: SchemaCelType;
}

export interface SchemaField {
  /** In JSON. */
  readonly name: string;
  readonly of: SchemaCelType;
}

/** `undefined` where expressions cannot access the values, because the schema has no type for them. */
export function schemaCelType(schema: JSONSchemaProps, isRoot: boolean, name = 'selfType1'): SchemaCelType | undefined {
  const found = celTypeOf(schema, isRoot, name);
  return found && { ...found, fromJson: checkingNull(schema, found.fromJson) };
}

function celTypeOf(schema: JSONSchemaProps, isRoot: boolean, name: string): SchemaCelType | undefined {
  if (schema['x-kubernetes-int-or-string'])
    return { type: dynType, maxElements: longestText, minBytes: 1, fromJson: intOrText };
  switch (schema.type) {
    case 'array':
      return listCelType(schema, name);
    case 'object':
      return isRecord(schema.additionalProperties)
        ? mapCelType(schema, schema.additionalProperties, name)
        : objectCelType(isRoot ? withObjectFields(schema) : schema, name);
    case 'string':
      return textCelType(schema);
    case 'boolean':
      return { type: boolType, maxElements: 0, minBytes: 4, fromJson: boolFromJson };
    case 'number':
      return { type: doubleType, maxElements: 0, minBytes: 1, fromJson: doubleFromJson };
    case 'integer':
      return { type: intType, maxElements: 0, minBytes: 1, fromJson: intFromJson };
    default:
      return undefined;
  }
}

function isEmbedded(schema: JSONSchemaProps): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

/** The fields of every object exist, whether or not the schema has them. */
function withObjectFields(schema: JSONSchemaProps): JSONSchemaProps {
  const text: JSONSchemaProps = { type: 'string' };
  const metadataFields = schema.properties?.['metadata']?.properties ?? {};
  const names: JSONSchemaProps = {
    type: 'object',
    properties: { name: metadataFields['name'] ?? text, generateName: metadataFields['generateName'] ?? text },
  };
  return { ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata: names } };
}

function listCelType(schema: JSONSchemaProps, name: string): SchemaCelType | undefined {
  const items = itemSchema(schema);
  const elements = items && schemaCelType(items, isEmbedded(items), `${name}.@idx`);
  if (!items || !elements) return undefined;
  const maxElements = Number(schema.maxItems ?? Math.floor((maxRequestBytes - 2) / (elements.minBytes + 1)));
  const key = keyReader(schema);
  return {
    type: listType(elements.type),
    maxElements: Math.max(maxElements, 0),
    minBytes: 2,
    fromJson: (json) => (Array.isArray(json) ? new JsonList(json, elements.fromJson, key) : noList()),
    elements,
  };
}

/** The key of an item of a set or map list. */
function keyReader(schema: JSONSchemaProps): ((item: CelValue) => string) | undefined {
  const listTypeWord = schema['x-kubernetes-list-type'];
  if (listTypeWord === 'set') return (item) => writeJson(toJson(item));
  const keys = schema['x-kubernetes-list-map-keys'];
  if (listTypeWord !== 'map' || !keys) return undefined;
  return (item) => writeJson(item instanceof ObjectValue ? keys.map((key) => item.json[key]) : null);
}

function mapCelType(schema: JSONSchemaProps, values: JSONSchemaProps, name: string): SchemaCelType | undefined {
  const elements = schemaCelType(values, isEmbedded(values), `${name}.@elem`);
  if (!elements) return undefined;
  const maxElements = Number(schema.maxProperties ?? Math.floor((maxRequestBytes - 2) / (elements.minBytes + 6)));
  return {
    type: mapType(stringType, elements.type),
    maxElements: Math.max(maxElements, 0),
    minBytes: 2,
    fromJson: (json) => (isRecord(json) ? new JsonMap(json, (_, item) => elements.fromJson(item)) : noMap()),
    elements,
  };
}

/** Fields are read when an expression uses them: most of a large schema never is. */
function objectCelType(schema: JSONSchemaProps, name: string): SchemaCelType {
  const { properties = {}, required = [] } = schema;
  const names = new Map(Object.keys(properties).flatMap((key) => celFieldNames(key).map((one) => [one, key] as const)));
  const fields = new Map<string, SchemaField | undefined>();
  const field = (fieldName: string): SchemaField | undefined => {
    if (!fields.has(fieldName)) {
      const key = names.get(fieldName);
      const property = key === undefined ? undefined : ownValue(properties, key);
      const of = property && schemaCelType(property, isEmbedded(property), `${name}.${fieldName}`);
      fields.set(fieldName, of && key !== undefined ? { name: key, of } : undefined);
    }
    return fields.get(fieldName);
  };
  return {
    type: new CelType('object', name, [], (fieldName) => field(fieldName)?.of.type),
    maxElements: 0,
    minBytes: minBytesOf(properties, required, field),
    fromJson: (json) => (isRecord(json) ? new ObjectValue(json, field, names) : noMap()),
    field,
  };
}

/** Of `{}` and the fields that must be there; those with a default are filled in by the server. */
function minBytesOf(
  properties: Readonly<Record<string, JSONSchemaProps>>,
  required: readonly string[],
  field: (name: string) => SchemaField | undefined,
): number {
  const needed = required.filter((key) => ownValue(properties, key)?.default === undefined);
  return needed.reduce((sum, key) => {
    const of = field(celFieldNames(key)[0] ?? key)?.of;
    return of ? sum + key.length + of.minBytes + 4 : sum;
  }, 2);
}

/**
 * An object of a schema: expressions see the fields that the schema has, by names that are identifiers. A field that is
 * null counts as absent. What else is in the object cannot be read, but makes it differ from others.
 */
class ObjectValue extends CelMap {
  readonly json: Readonly<Record<string, unknown>>;
  readonly #field: (name: string) => SchemaField | undefined;
  readonly #names: ReadonlyMap<string, string>;

  constructor(
    json: Readonly<Record<string, unknown>>,
    field: (name: string) => SchemaField | undefined,
    names: ReadonlyMap<string, string>,
  ) {
    super();
    this.json = json;
    this.#field = field;
    this.#names = names;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  get(key: CelValue): CelValue | undefined {
    const field = typeof key === 'string' ? this.#field(key) : undefined;
    if (!field || !Object.hasOwn(this.json, field.name)) return undefined;
    const json = this.json[field.name];
    return json === undefined || json === null ? undefined : field.of.fromJson(json);
  }

  keys(): Iterable<CelValue> {
    return this.#namesOfFields().values();
  }

  /** The fields that it has and expressions can read, with the first of their names. */
  #namesOfFields(): ReadonlyMap<string, string> {
    const names = new Map<string, string>();
    for (const [name, key] of this.#names)
      if (!names.has(key) && Object.hasOwn(this.json, key) && this.#field(name)) names.set(key, name);
    return names;
  }

  override differsBeyondKeys(other: CelMap): boolean {
    if (!(other instanceof ObjectValue)) return false;
    const names = this.#namesOfFields();
    return Object.keys(this.json).some((key) => !names.has(key) && !deepEqual(this.json[key], other.json[key]));
  }
}

function textCelType(schema: JSONSchemaProps): SchemaCelType {
  const maxLength = schema.maxLength === undefined ? undefined : Number(schema.maxLength);
  switch (schema.format) {
    case 'byte':
      return { type: bytesType, maxElements: maxLength ?? longestText, minBytes: 2, fromJson: bytesFromText };
    case 'duration':
      return { type: durationType, maxElements: 32, minBytes: 4, fromJson: durationFromText };
    case 'date':
      return { type: timestampType, maxElements: 12, minBytes: 12, fromJson: dateFromText };
    case 'date-time':
      return { type: timestampType, maxElements: 37, minBytes: 21, fromJson: timeFromText };
    default: {
      const words = (schema.enum ?? []).map((one) => (typeof one === 'string' ? one.length : 0));
      const longest = words.length > 0 ? Math.max(...words) : longestText;
      // Lengths are counted in characters, costs in bytes.
      const maxElements = maxLength === undefined ? longest : maxLength * mostBytesOfCharacter;
      return { type: stringType, maxElements: Math.max(maxElements, 0), minBytes: 2, fromJson: textFromJson };
    }
  }
}
