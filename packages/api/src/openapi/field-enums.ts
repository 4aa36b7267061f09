import { writeJson } from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import { enumValues } from '../generated/enums.js';
import type { SchemaObject } from './schema-object.js';

/** The values that a field of a definition (`core-v1/ContainerPort`) may have, if it is a typed enum. */
export function valuesOf(definition: string, field: string): readonly string[] | undefined {
  return ownValue(ownValue(enumValues, definition) ?? {}, field);
}

/** A property whose value, or each of whose elements, is one of `values`. */
export function withValues(property: SchemaObject, values: readonly string[]): SchemaObject {
  for (const part of ['items', 'additionalProperties']) {
    const elements = property[part];
    if (typeof elements === 'object') return { ...property, [part]: { ...elements, enum: values } };
  }
  return { ...property, description: describeValues(property['description'], values), enum: values };
}

/** `kubectl explain` and documentation generators look for this form. */
function describeValues(description: unknown, values: readonly string[]): string {
  const list = values.map((value) => `\n - \`${writeJson(value)}\``);
  const before = typeof description === 'string' ? `${description}\n\n` : '';
  return `${before}Possible enum values:${list.join('')}`;
}
