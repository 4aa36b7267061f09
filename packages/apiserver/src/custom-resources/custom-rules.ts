import { type KindRules, validateValue } from '@coracle/api';
import { type FieldError, FieldPath, invalidField, type KubeObject } from '@coracle/apimachinery';
import { setDefaultValues } from './default-values.js';
import { ExpressionRules } from './expression-rules.js';
import { type JsonSchema, objectSchemaOf } from './structural-schema.js';

/** Defaults and validation of a custom kind, from its schema. */
export function customRules(schema: JsonSchema): KindRules<KubeObject> {
  const expressions = new ExpressionRules(schema, objectSchemaOf(schema, 'typed'));
  const own = withoutMetadata(schema);
  const validate = (object: KubeObject, previous?: KubeObject): FieldError[] => {
    const errors = validateValue(object, own, FieldPath.of());
    if (errors.some(({ type }) => blocking.has(type))) return [...errors, notChecked];
    return [...errors, ...expressions.validate(object, previous)];
  };
  return {
    setDefaults: (object) => setDefaultValues(object, own),
    validate: (object) => validate(object),
    validateUpdate: validate,
    validateStatusUpdate: validate,
  };
}

/** Expressions could not cope with values of these mistakes. */
const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const notChecked: FieldError = invalidField(
  '<nil>',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

/** Metadata has rules of its own, for all kinds the same. */
function withoutMetadata(schema: JsonSchema): JsonSchema {
  const { metadata: _, apiVersion: __, kind: ___, ...properties } = schema.properties ?? {};
  return { ...schema, properties };
}
