import {
  duplicateField,
  type FieldError,
  type FieldPath,
  forbiddenField,
  type GoRegexpError,
  goRegexp,
  invalidField,
  notSupportedField,
  requiredField,
} from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import type { JSONSchemaProps, ValidationRule } from '../../generated/types/apiextensions-v1.js';
import { checkCelExpression } from '../../validation/cel-expression.js';
import { checkSupported } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';
import { checkStructure } from './structural-schema.validation.js';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** A schema must first make sense word by word; then its structure is looked at. */
export function checkSchema(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  const errors = checkNode(path, schema, true);
  if (schema.nullable) errors.push(forbiddenField(path.child('nullable'), 'nullable cannot be true at the root'));
  return errors.length > 0 ? errors : checkStructure(path, schema);
}

function checkNode(path: FieldPath, schema: JSONSchemaProps, isRoot = false): FieldError[] {
  return [
    ...checkUnsupported(path, schema),
    ...checkType(path.child('type'), schema),
    ...checkPattern(path.child('pattern'), schema.pattern),
    ...checkLists(path, schema),
    ...checkMaps(path, schema),
    ...checkRules(path.child('x-kubernetes-validations'), schema['x-kubernetes-validations'] ?? []),
    ...checkChildren(path, schema),
    ...(isRoot ? [] : checkItems(path, schema)),
  ];
}

/** Words of JSON schema that custom resources do not have. */
function checkUnsupported(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (field: string, detail = `${field} is not supported`) =>
    errors.push(forbiddenField(path.child(field), detail));
  if (schema.uniqueItems) {
    refuse('uniqueItems', 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
  }
  if (schema.additionalProperties === false) {
    refuse('additionalProperties', 'additionalProperties cannot be set to false');
  } else if (schema.additionalProperties !== undefined && Object.keys(schema.properties ?? {}).length > 0) {
    refuse('additionalProperties', 'additionalProperties and properties are mutual exclusive');
  }
  if (schema.$ref !== undefined) refuse('$ref');
  for (const field of ['definitions', 'dependencies', 'patternProperties'] as const) {
    if (Object.keys(schema[field] ?? {}).length > 0) refuse(field);
  }
  if (schema.id) refuse('id');
  if (schema.additionalItems !== undefined) refuse('additionalItems');
  if (Array.isArray(schema.items)) refuse('items', 'items must be a schema object and not an array');
  return errors;
}

function checkType(path: FieldPath, { type = '' }: JSONSchemaProps): FieldError[] {
  if (type === '') return [];
  if (type === 'null') return [forbiddenField(path, 'type cannot be set to null, use nullable as an alternative')];
  return checkSupported(path, type, types);
}

function checkItems(path: FieldPath, { type, items }: JSONSchemaProps): FieldError[] {
  return type === 'array' && items === undefined ? [requiredField(path.child('items'), 'must be specified')] : [];
}

function checkPattern(path: FieldPath, pattern: string | undefined): FieldError[] {
  if (!pattern) return [];
  try {
    goRegexp(pattern);
    return [];
  } catch (error) {
    const { message } = error as GoRegexpError;
    return [invalidField(path, pattern, `must be a valid regular expression, but isn't: ${message}`)];
  }
}

function checkLists(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const keysPath = path.child('x-kubernetes-list-map-keys');
  const errors: FieldError[] = [];
  if (listType !== undefined) {
    if (schema.type !== 'array') {
      const detail = 'must be array if x-kubernetes-list-type is specified';
      errors.push(
        schema.type ? invalidField(path.child('type'), schema.type, detail) : requiredField(path.child('type'), detail),
      );
    }
    errors.push(...checkSupported(path.child('x-kubernetes-list-type'), listType, ['atomic', 'map', 'set']));
  }
  if (listType === 'map') errors.push(...checkMapKeys(keysPath, schema, keys));
  else if (keys.length > 0) {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const field = path.child('x-kubernetes-list-type');
    errors.push(listType === undefined ? requiredField(field, detail) : invalidField(field, listType, detail));
  }
  return errors;
}

function checkMapKeys(path: FieldPath, { items }: JSONSchemaProps, keys: readonly string[]): FieldError[] {
  if (keys.length === 0) {
    return [requiredField(path, 'must not be empty if x-kubernetes-list-type is map')];
  }
  const item = Array.isArray(items) ? undefined : items;
  return keys.flatMap((key, index) => {
    if (keys.indexOf(key) < index) return [duplicateField(path.index(index), key)];
    const property = ownValue(item?.properties ?? {}, key);
    if (!property) return [invalidField(path, key, 'entries must all be names of item properties')];
    const isScalar = property.type !== 'array' && property.type !== 'object';
    return isScalar ? [] : [invalidField(path.index(index), key, 'should reference a scalar property')];
  });
}

function checkMaps(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return [];
  const errors: FieldError[] = [];
  if (schema.type !== 'object') {
    const detail = 'must be object if x-kubernetes-map-type is specified';
    const field = path.child('type');
    errors.push(schema.type ? invalidField(field, schema.type, detail) : requiredField(field, detail));
  }
  const supported = ['atomic', 'granular'];
  if (!supported.includes(mapType)) {
    errors.push(notSupportedField(path.child('x-kubernetes-map-type'), mapType, supported));
  }
  return errors;
}

function checkRules(path: FieldPath, rules: readonly ValidationRule[]): FieldError[] {
  return rules.flatMap((rule, index) => {
    const at = path.index(index);
    const shown = goValue('apiextensions-v1/ValidationRule', rule);
    const place = { variables: ['self', 'oldSelf'], results: ['bool'] };
    const errors =
      rule.rule.trim() === ''
        ? [requiredField(at.child('rule'), 'rule is not specified')]
        : checkCelExpression(at.child('rule'), rule.rule, place, shown);
    return [...errors, ...checkMessage(at, rule), ...checkReason(at.child('reason'), rule.reason)];
  });
}

function checkMessage(path: FieldPath, rule: ValidationRule): FieldError[] {
  const { message = '', messageExpression = '' } = rule;
  const errors: FieldError[] = [];
  const field = path.child('message');
  if (message !== '' && message.trim() === '') {
    errors.push(invalidField(field, message, 'message must be non-empty if specified'));
  } else if (message.trim().includes('\n')) {
    errors.push(invalidField(field, message, 'message must not contain line breaks'));
  } else if (rule.rule.trim().includes('\n') && message.trim() === '') {
    errors.push(requiredField(field, 'message must be specified if rule contains line breaks'));
  }
  if (messageExpression === '') return errors;
  const at = path.child('messageExpression');
  if (messageExpression.trim() === '') {
    return [...errors, requiredField(at, 'messageExpression must be non-empty if specified')];
  }
  const shown = goValue('apiextensions-v1/ValidationRule', rule);
  const place = { variables: ['self', 'oldSelf'], results: ['string'] };
  return [...errors, ...checkCelExpression(at, messageExpression, place, shown)];
}

function checkReason(path: FieldPath, reason: string | undefined): FieldError[] {
  return reason === undefined ? [] : checkSupported(path, reason, reasons);
}

function checkChildren(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  const { properties = {}, additionalProperties, items } = schema;
  const errors = Object.entries(properties).flatMap(([name, property]) =>
    checkNode(path.child('properties').key(name), property),
  );
  if (typeof additionalProperties === 'object') {
    errors.push(...checkNode(path.child('additionalProperties'), additionalProperties));
  }
  if (items && !Array.isArray(items)) errors.push(...checkNode(path.child('items'), items));
  return errors;
}
