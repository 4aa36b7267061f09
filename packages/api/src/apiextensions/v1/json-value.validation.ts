import {
  duplicateField,
  type FieldError,
  type FieldPath,
  goRegexp,
  invalidField,
  notSupportedField,
  requiredField,
  tooLongField,
  tooManyField,
  typeInvalidField,
} from '@coracle/apimachinery';
import { deepEqual, isRecord, ownValue } from '@coracle/base';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import { isOfFormat } from './formats.js';

/** What is wrong with a value by its schema, expressions left aside. */
export function validateValue(value: unknown, schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  if (value === null && schema.nullable) return [];
  const wrongType = checkType(value, schema, path);
  if (wrongType.length > 0) return wrongType;
  return [
    ...checkEnum(value, schema, path),
    ...(typeof value === 'string' ? checkText(value, schema, path) : []),
    ...(typeof value === 'number' ? checkNumber(value, schema, path) : []),
    ...(Array.isArray(value) ? checkList(value, schema, path) : []),
    ...(isRecord(value) ? checkObject(value, schema, path) : []),
    ...checkCombinations(value, schema, path),
  ];
}

function checkType(value: unknown, schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  const wanted = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : schema.type ? [schema.type] : [];
  const actual = typeName(value);
  if (wanted.length === 0 || wanted.includes(actual) || (actual === 'integer' && wanted.includes('number'))) return [];
  return [typeInvalidField(path, actual, `${path} in body must be of type ${wanted.join(',')}: "${actual}"`)];
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function checkEnum(value: unknown, { enum: values }: JSONSchemaProps, path: FieldPath): FieldError[] {
  if (!values || values.some((one) => deepEqual(one, value))) return [];
  const supported = values.map((one: unknown) => (typeof one === 'string' ? one : JSON.stringify(one)));
  return [notSupportedField(path, value, supported)];
}

function checkText(value: string, schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const length = [...value].length;
  const should = (what: string) => errors.push(invalidField(path, value, `${path} in body should ${what}`));
  if (schema.maxLength !== undefined && length > schema.maxLength) errors.push(tooLongField(path, schema.maxLength));
  if (schema.minLength !== undefined && length < schema.minLength) should(`be at least ${schema.minLength} chars long`);
  if (schema.pattern && !goRegexp(schema.pattern).test(value)) should(`match '${schema.pattern}'`);
  if (schema.format && !isOfFormat(schema.format, value))
    errors.push(
      invalidField(path, value, `${path} in body must be of type ${schema.format}: ${JSON.stringify(value)}`),
    );
  return errors;
}

function checkNumber(value: number, schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const should = (what: string) => errors.push(invalidField(path, value, `${path} in body should ${what}`));
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } = schema;
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum))
    should(`be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`);
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum))
    should(`be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`);
  if (multipleOf !== undefined && multipleOf <= 0)
    errors.push(invalidField(path, value, `factor MultipleOf declared for ${path} must be positive: ${multipleOf}`));
  else if (multipleOf && Math.abs(value / multipleOf - Math.round(value / multipleOf)) > 1e-9)
    should(`be a multiple of ${multipleOf}`);
  if (format === 'int32' && Math.abs(value + 0.5) > 2 ** 31)
    errors.push(invalidField(path, value, `Checked value must be of type integer with format int32`));
  return errors;
}

function checkList(value: readonly unknown[], schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { items, minItems, maxItems } = schema;
  if (maxItems !== undefined && value.length > maxItems) errors.push(tooManyField(path, value.length, maxItems));
  if (minItems !== undefined && value.length < minItems)
    errors.push(invalidField(path, value.length, `${path} in body should have at least ${minItems} items`));
  if (items && !Array.isArray(items))
    value.forEach((item, index) => void errors.push(...validateValue(item, items, path.index(index))));
  return [...errors, ...checkUnique(value, schema, path)];
}

/** Sets have no item twice, and lists that are maps no key. */
function checkUnique(value: readonly unknown[], schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  if (listType !== 'set' && listType !== 'map') return [];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  value.forEach((item, index) => {
    const key = listType === 'set' ? item : keyOf(item, schema);
    const text = JSON.stringify(key);
    if (seen.has(text)) errors.push(duplicateField(path.index(index), key));
    seen.add(text);
  });
  return errors;
}

/** What tells an item of a list that is a map from the others. */
export function keyOf(item: unknown, schema: JSONSchemaProps): Record<string, unknown> {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return Object.fromEntries(keys.map((key) => [key, isRecord(item) ? ownValue(item, key) : undefined]));
}

function checkObject(value: Readonly<Record<string, unknown>>, schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { properties = {}, additionalProperties, required = [], minProperties, maxProperties } = schema;
  const names = Object.keys(value);
  if (maxProperties !== undefined && names.length > maxProperties)
    errors.push(tooManyField(path, names.length, maxProperties));
  if (minProperties !== undefined && names.length < minProperties)
    errors.push(invalidField(path, names.length, `${path} in body should have at least ${minProperties} properties`));
  for (const name of required) if (!Object.hasOwn(value, name)) errors.push(requiredField(path.child(name)));
  for (const name of names) {
    const field = ownValue(properties, name);
    if (field) errors.push(...validateValue(value[name], field, path.child(name)));
    else if (typeof additionalProperties === 'object')
      errors.push(...validateValue(value[name], additionalProperties, path.key(name)));
  }
  return errors;
}

function checkCombinations(value: unknown, schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { allOf, anyOf, oneOf, not } = schema;
  const fits = (one: JSONSchemaProps) => validateValue(value, one, path).length === 0;
  const must = (what: string) => errors.push(invalidField(path, value, `${path} in body must ${what}`));
  for (const one of allOf ?? []) errors.push(...validateValue(value, one, path));
  if (anyOf && !anyOf.some(fits)) must('validate at least one schema (anyOf)');
  if (oneOf) {
    const count = oneOf.filter(fits).length;
    if (count !== 1)
      must(
        `validate one and only one schema (oneOf). Found ${count === 0 ? 'none' : count} valid${count > 1 ? ' alternatives' : ''}`,
      );
  }
  if (not && fits(not)) must('not validate the schema (not)');
  return errors;
}
