import {
  type FieldError,
  type FieldPath,
  goRegexp,
  type Int64,
  invalidField,
  notSupportedField,
  requiredField,
  tooLongField,
  tooManyField,
  typeInvalidField,
  writeJson,
} from '@coracle/apimachinery';
import { deepEqual, isRecord, ownValue } from '@coracle/base';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import { isOfFormat } from './formats.js';
import { checkNumber, isInteger } from './json-number.validation.js';
import { itemSchema } from './schema-parts.js';
import { placeOfEntry, placeOfField, placeOfItem, type ValuePlace } from './value-place.js';

/** A value with its value before an update; see `validateValue`. */
export interface ValueHistory {
  readonly isUnchanged: () => boolean;
  field(name: string): ValueHistory;
  item(index: number, list: JSONSchemaProps): ValueHistory;
}

/** Errors, and the number of evaluated schema parts: of alternatives, the errors of the best match are reported. */
interface ValidationResult {
  readonly errors: readonly FieldError[];
  readonly matched: number;
}

/**
 * Field errors of a value by its schema, except expressions. With a history, errors of unchanged values are ignored: a
 * stricter schema does not prevent updates.
 */
export function validateValue(
  value: unknown,
  schema: JSONSchemaProps,
  path: FieldPath,
  history?: ValueHistory,
): FieldError[] {
  return [...check({ value, schema, place: { path, shown: String(path) }, history }).errors];
}

/** The same for a part of an object that is validated by itself: messages name fields from where the part begins. */
export function validatePart(
  value: unknown,
  schema: JSONSchemaProps,
  path: FieldPath,
  history?: ValueHistory,
): FieldError[] {
  const { errors } = check({ value, schema, place: { path, shown: '' }, history });
  return errors.map((error) => (error.field === nowhere ? { ...error, field: String(path) } : error));
}

interface Subject {
  readonly value: unknown;
  readonly schema: JSONSchemaProps;
  readonly place: ValuePlace;
  readonly history: ValueHistory | undefined;
}

function check(subject: Subject): ValidationResult {
  const found = checkNode(subject);
  if (found.errors.length === 0 || !subject.history?.isUnchanged()) return found;
  return { errors: [], matched: found.matched };
}

function checkNode(subject: Subject): ValidationResult {
  const { value, schema, place } = subject;
  if (value === null || value === undefined)
    return { errors: [...checkNull(schema, place), ...checkEnum(subject)], matched: 1 };
  const below = checkBelow(subject);
  const combined = checkCombinations(subject);
  return {
    errors: [
      ...checkType(subject),
      ...combined.errors,
      ...(typeof value === 'string' ? checkText(value, schema, place) : []),
      ...(typeof value === 'number' || typeof value === 'bigint' ? checkNumber(value, schema, place) : []),
      ...(Array.isArray(value) ? checkList(value, schema, place) : []),
      ...checkEnum(subject),
      ...(isRecord(value) ? checkObject(value, schema, place) : []),
      ...below.errors,
    ],
    matched: 1 + combined.matched + below.matched,
  };
}

/** More would be of no use, and the errors of a long list, each with the supported values, would fill the memory. */
const mostErrors = 500;

function checkBelow(subject: Subject): ValidationResult {
  const errors: FieldError[] = [];
  let matched = 0;
  for (const child of childrenOf(subject)) {
    const found = check(child);
    matched += found.matched;
    for (const error of found.errors) errors.push(error);
    if (errors.length >= mostErrors) break;
  }
  return { errors, matched };
}

function checkNull(schema: JSONSchemaProps, { path, shown }: ValuePlace): FieldError[] {
  const types = wantedTypes(schema);
  if (types.length === 0 || schema.nullable) return [];
  return [typeInvalidField(path, 'null', `${shown} in body must be of type ${types.join(',')}: "null"`)];
}

function wantedTypes(schema: JSONSchemaProps): readonly string[] {
  if (schema['x-kubernetes-int-or-string']) return ['integer', 'string'];
  return schema.type ? [schema.type] : [];
}

function checkType({ value, schema, place: { path, shown } }: Subject): FieldError[] {
  const types = wantedTypes(schema);
  const actual = typeName(value);
  if (types.length === 0 || types.includes(actual) || (actual === 'integer' && types.includes('number'))) return [];
  const isNumber = ['number', 'bigint', 'boolean'].includes(typeof value);
  const [found, type] = schema.format && isNumber ? [goKind(value), schema.format] : [actual, types.join(',')];
  return [typeInvalidField(path, found, `${shown} in body must be of type ${type}: "${found}"`)];
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' || typeof value === 'bigint') return isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** A number of a wrong type is named by its format, where the schema has one. */
function goKind(value: unknown): string {
  if (typeof value === 'boolean') return '';
  return isInteger(value as Int64) ? 'int64' : 'float64';
}

function checkEnum({ value, schema, place: { path } }: Subject): FieldError[] {
  const { enum: values } = schema;
  if (!values || isOneOf(value, values)) return [];
  if (value === null && schema.nullable) return [];
  const supported = values.map((one: unknown) => (typeof one === 'string' ? one : writeJson(one)));
  return [notSupportedField(path, value, supported)];
}

/** Lookup sets of long enums. A cache: it is dropped with the schema. */
const lookups = new WeakMap<readonly unknown[], ReadonlySet<unknown>>();
const longEnum = 16;

function isOneOf(value: unknown, values: readonly unknown[]): boolean {
  if (values.length < longEnum || (typeof value === 'object' && value !== null))
    return values.some((one) => deepEqual(one, value));
  const lookup = lookups.get(values) ?? new Set(values);
  lookups.set(values, lookup);
  return lookup.has(value);
}

function checkText(value: string, schema: JSONSchemaProps, { path, shown }: ValuePlace): FieldError[] {
  const errors: FieldError[] = [];
  const length = [...value].length;
  const should = (what: string) => errors.push(invalidField(path, value, `${shown} in body should ${what}`));
  if (schema.maxLength !== undefined && length > schema.maxLength) errors.push(tooLongField(path, schema.maxLength));
  if (schema.minLength !== undefined && length < schema.minLength) should(`be at least ${schema.minLength} chars long`);
  if (schema.pattern && !goRegexp(schema.pattern).test(value)) should(`match '${schema.pattern}'`);
  if (schema.format && !isOfFormat(schema.format, value)) {
    const detail = `${shown} in body must be of type ${schema.format}: ${JSON.stringify(value)}`;
    errors.push(typeInvalidField(path, value, detail));
  }
  return errors;
}

function checkList(
  value: readonly unknown[],
  { minItems, maxItems }: JSONSchemaProps,
  { path, shown }: ValuePlace,
): FieldError[] {
  const errors: FieldError[] = [];
  if (minItems !== undefined && value.length < minItems)
    errors.push(invalidField(path, value.length, `${shown} in body should have at least ${minItems} items`));
  if (maxItems !== undefined && value.length > maxItems) errors.push(tooManyField(path, value.length, maxItems));
  return errors;
}

function checkObject(
  value: Readonly<Record<string, unknown>>,
  schema: JSONSchemaProps,
  { path, shown }: ValuePlace,
): FieldError[] {
  const errors: FieldError[] = [];
  const { required = [], minProperties, maxProperties } = schema;
  const { length } = Object.keys(value);
  if (minProperties !== undefined && length < minProperties)
    errors.push(invalidField(path, length, `${shown} in body should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && length > maxProperties) errors.push(tooManyField(path, length, maxProperties));
  for (const name of required) if (!Object.hasOwn(value, name)) errors.push(requiredField(path.child(name)));
  return errors;
}

/** The parts of a value that the schema says something of. */
function childrenOf({ value, schema, place, history }: Subject): Subject[] {
  if (Array.isArray(value)) {
    const items = itemSchema(schema);
    if (!items) return [];
    return value.map((item: unknown, index) => ({
      value: item,
      schema: items,
      place: placeOfItem(place, index),
      history: history?.item(index, schema),
    }));
  }
  if (!isRecord(value)) return [];
  const { properties = {}, additionalProperties } = schema;
  const others = isRecord(additionalProperties) ? additionalProperties : undefined;
  return Object.keys(value).flatMap((name) => {
    const property = ownValue(properties, name);
    const below = property ?? others;
    const at = property ? placeOfField(place, name) : placeOfEntry(place, name);
    return below ? [{ value: value[name], schema: below, place: at, history: history?.field(name) }] : [];
  });
}

const nowhere = '<nil>';

/** `allOf`, `anyOf`, `oneOf` and `not`. Their own errors name no field; those of the alternative that fits best do. */
function checkCombinations(subject: Subject): ValidationResult {
  const { schema, place } = subject;
  const errors: FieldError[] = [];
  let matched = 0;
  const must = (what: string) => errors.push(invalidField(nowhere, '', `"${place.shown}" must ${what}`));
  const results = (schemas: readonly JSONSchemaProps[] | undefined) =>
    (schemas ?? []).map((one) => check({ ...subject, schema: one }));
  const isValid = (result: ValidationResult) => result.errors.length === 0;
  const add = (result: ValidationResult | undefined) => {
    for (const error of result?.errors ?? []) errors.push(error);
    matched += result?.matched ?? 0;
  };
  const any = results(schema.anyOf);
  if (any.length > 0 && !any.some(isValid)) {
    must('validate at least one schema (anyOf)');
    add(best(any));
  }
  const one = results(schema.oneOf);
  const valid = one.filter(isValid);
  if (one.length > 0 && valid.length !== 1) {
    const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
    must(`validate one and only one schema (oneOf). ${found}`);
    if (valid.length === 0) add(best(one));
  }
  const all = results(schema.allOf);
  if (!all.every(isValid)) must('validate all the schemas (allOf)');
  for (const result of all) add(result);
  if (schema.not && isValid(check({ ...subject, schema: schema.not }))) must('not validate the schema (not)');
  return { errors, matched };
}

/** The first of those that got furthest. */
function best(results: readonly ValidationResult[]): ValidationResult | undefined {
  return results.reduce<ValidationResult | undefined>(
    (found, result) => (found && found.matched >= result.matched ? found : result),
    undefined,
  );
}
