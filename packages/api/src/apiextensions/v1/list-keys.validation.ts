import {
  duplicateField,
  type FieldError,
  type FieldPath,
  invalidField,
  readJson,
  writeJson,
} from '@coracle/apimachinery';
import { isRecord, ownValue, sortKeys } from '@coracle/base';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import { itemSchema } from './schema-parts.js';

/** Sets have no item twice, and keyed lists no key; at every depth. */
export function checkListKeys(value: unknown, schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  if (Array.isArray(value)) {
    const items = itemSchema(schema);
    const below = items ? value.flatMap((item, index) => checkListKeys(item, items, path.index(index))) : [];
    return [...checkUnique(value, schema, path), ...below];
  }
  if (!isRecord(value)) return [];
  const { properties = {}, additionalProperties } = schema;
  return Object.entries(value).flatMap(([name, field]) => {
    const property = ownValue(properties, name);
    if (property) return checkListKeys(field, property, path.child(name));
    return isRecord(additionalProperties) ? checkListKeys(field, additionalProperties, path.key(name)) : [];
  });
}

function checkUnique(value: readonly unknown[], schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  if (listType !== 'set' && listType !== 'map') return [];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  const reported = new Set<string>();
  for (const [index, item] of value.entries()) {
    const isObject = isRecord(item) || item === null;
    if (listType === 'map' && !isObject) {
      errors.push(invalidField(path.index(index), item, 'must be an object for an array of list-type map'));
      continue;
    }
    const key = listType === 'set' ? item : keyOf(item, schema);
    const text = writeJson(sortKeys(key));
    if (seen.has(text) && !reported.has(text)) {
      reported.add(text);
      errors.push(duplicateField(path.index(index), readJson(text)));
    }
    seen.add(text);
  }
  return errors;
}

/** The order of fields does not count. */
/** The key of an item of a map list; absent keys have their defaults. */
export function keyOf(item: unknown, schema: JSONSchemaProps): Record<string, unknown> {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return Object.fromEntries(keys.map((key) => [key, isRecord(item) ? ownValue(item, key) : undefined]));
}
