import {
  CelMap,
  type CelMessageType,
  CelType,
  type CelValue,
  dynType,
  type FindMessageType,
  opaqueType,
  stringType,
  toJson,
  ValueMap,
} from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';

/** A value that an expression has made of a type: `Object.spec{replicas: 3}`. */
class TypedObject extends CelMap {
  readonly typeName: string;
  readonly #fields: ReadonlyMap<string, CelValue>;

  constructor(typeName: string, fields: ReadonlyMap<string, CelValue>) {
    super();
    this.typeName = typeName;
    this.#fields = fields;
  }

  get size(): number {
    return this.#fields.size;
  }

  get(key: CelValue): CelValue | undefined {
    return typeof key === 'string' ? this.#fields.get(key) : undefined;
  }

  keys(): Iterable<CelValue> {
    return this.#fields.keys();
  }
}

const rootName = 'Object';
const patchFields: Readonly<Record<string, CelType>> = {
  op: stringType,
  path: stringType,
  from: stringType,
  value: dynType,
};

/** Upstream finds any field of a patch, but gives it no type: nothing can be its value. */
const noType: CelType = opaqueType('');

/** One operation of a patch: `JSONPatch{op: "add", path: "/spec/replicas", value: 3}`. */
const jsonPatch: CelMessageType = {
  type: new CelType('object', 'JSONPatch', [], (field) => ownValue(patchFields, field)),
  fieldType: (field) => ownValue(patchFields, field) ?? noType,
  create: (fields) => ValueMap.of(fields),
};

/**
 * The types that a policy's expressions may create: `Object` and the types of its fields, which are named by their
 * paths, and `JSONPatch`.
 */
export const findPolicyType: FindMessageType = (name) => {
  if (name === 'JSONPatch') return jsonPatch;
  if (name !== rootName && !name.startsWith(`${rootName}.`)) return undefined;
  return {
    type: new CelType('object', name, [], () => dynType),
    fieldType: () => dynType,
    create: (fields) => new TypedObject(name, fields),
  };
};

/** The JSON of what a patch puts somewhere: an object of any of the types, or other values. */
export function patchedJson(value: CelValue): unknown {
  return value instanceof TypedObject ? objectJson(value, value.typeName) : toJson(value);
}

/** The JSON of an `Object`. Throws a message if a field holds a value of the type of another one. */
export function objectJson(value: CelValue, expected: string = rootName): unknown {
  if (value instanceof TypedObject) {
    if (value.typeName !== expected)
      throw new Error(
        `type mismatch: unexpected type name ${JSON.stringify(value.typeName)}, expected ${JSON.stringify(expected)}, which matches field name path from root Object type`,
      );
    return fieldsJson(value, (key) => `${expected}.${key}`);
  }
  if (typeof value === 'object' && value !== null && 'tag' in value) {
    if (value.tag === 'list') return Array.from(value, (item) => objectJson(item, expected));
    if (value.tag === 'map') return fieldsJson(value, () => expected);
  }
  return toJson(value);
}

/** Fields that are absent optionals or null are left out. */
function fieldsJson(map: CelMap, expected: (key: string) => string): Record<string, unknown> {
  const fields = Array.from(map.keys(), (key) => [String(key), map.get(key) ?? null] as const);
  return Object.fromEntries(
    fields.map(([key, value]) => [key, objectJson(value, expected(key))]).filter(([, value]) => value !== undefined),
  );
}
