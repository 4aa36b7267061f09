import { type FieldError, type FieldPath, forbiddenField } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import { checkPattern, itemSchema } from './schema-parts.js';

/** Keywords that would duplicate the structure, with their replacements. */
const structuralWords: readonly (readonly [keyof JSONSchemaProps, string])[] = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
];

/** A schema under `allOf`, `anyOf`, `oneOf` or `not`: it restricts values and defines no fields. */
export function checkNested(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  const { properties = {}, not } = schema;
  const items = itemSchema(schema);
  return [
    ...(['anyOf', 'allOf', 'oneOf'] as const).flatMap((word) =>
      (schema[word] ?? []).flatMap((one, index) => checkNested(path.child(word).index(index), one)),
    ),
    ...(not ? checkNested(path.child('not'), not) : []),
    ...checkPattern(path.child('pattern'), schema.pattern),
    ...(items ? checkNested(path.child('items'), items) : []),
    ...Object.entries(properties).flatMap(([name, one]) => checkNested(path.child('properties').key(name), one)),
    ...structuralWords
      .filter(([word]) => isSet(schema[word], word))
      .map(([word, how]) => forbiddenField(path.child(word), `must be ${how} to be structural`)),
    ...(isRecord(properties['metadata'])
      ? [forbiddenField(path.child('properties').key('metadata'), 'must not be specified in a nested context')]
      : []),
  ];
}

function isSet(value: unknown, word: string): boolean {
  if (value === undefined || value === '') return word.startsWith('x-kubernetes-') && value === '';
  if (Array.isArray(value)) return value.length > 0;
  return value !== false || word === 'additionalProperties' || word === 'default';
}
