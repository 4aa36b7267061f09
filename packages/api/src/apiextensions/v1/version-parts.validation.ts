import {
  duplicateField,
  type FieldError,
  type FieldPath,
  invalidField,
  requiredField,
  tooManyField,
} from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import type {
  CustomResourceColumnDefinition,
  CustomResourceConversion,
  CustomResourceSubresources,
  JSONSchemaProps,
  SelectableField,
} from '../../generated/types/apiextensions-v1.js';
import { checkRequiredSupported } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';
import { checkWebhookClient } from '../../validation/webhook-client.js';
import { checkSchema } from './json-schema.validation.js';
import { checkWord } from './names.validation.js';
import { checkJsonPath, checkSimpleJsonPath } from './simple-json-path.js';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

export function checkColumns(path: FieldPath, columns: readonly CustomResourceColumnDefinition[]): FieldError[] {
  return columns.flatMap(({ name, type, format, jsonPath }, index) => {
    const at = path.index(index);
    const errors: FieldError[] = [];
    const typeRule = `must be one of ${columnTypes.join(',')}`;
    if (!name) errors.push(requiredField(at.child('name')));
    if (!type) errors.push(requiredField(at.child('type'), typeRule));
    else if (!columnTypes.includes(type)) errors.push(invalidField(at.child('type'), type, typeRule));
    if (format && !columnFormats.includes(format)) {
      errors.push(invalidField(at.child('format'), format, `must be one of ${columnFormats.join(',')}`));
    }
    // The release calls it by the name it had before v1.
    const field = at.child('JSONPath');
    return [...errors, ...(jsonPath ? checkJsonPath(field, jsonPath) : [requiredField(field)])];
  });
}

export function checkSubresources(path: FieldPath, subresources: CustomResourceSubresources | undefined): FieldError[] {
  const { scale } = subresources ?? {};
  if (!scale) return [];
  const at = path.child('scale');
  const selector = scale.labelSelectorPath;
  return [
    ...checkReplicasPath(at.child('specReplicasPath'), scale.specReplicasPath, '.spec'),
    ...checkReplicasPath(at.child('statusReplicasPath'), scale.statusReplicasPath, '.status'),
    ...(selector ? checkSelectorPath(at.child('labelSelectorPath'), selector) : []),
  ];
}

function checkReplicasPath(path: FieldPath, value: string, root: string): FieldError[] {
  if (!value) return [requiredField(path)];
  const errors = checkJsonPath(path, value);
  if (errors.length > 0 || value.startsWith(`${root}.`)) return errors;
  return [invalidField(path, value, `should be a json path under ${root}`)];
}

function checkSelectorPath(path: FieldPath, value: string): FieldError[] {
  const errors = checkJsonPath(path, value);
  if (errors.length > 0 || value.startsWith('.spec.') || value.startsWith('.status.')) return errors;
  return [invalidField(path, value, 'should be a json path under either .spec or .status')];
}

const maxSelectableFields = 8;

/** Fields that lists may be filtered by: single values that the schema knows. */
export function checkSelectableFields(
  path: FieldPath,
  fields: readonly SelectableField[],
  schema: JSONSchemaProps | undefined,
): FieldError[] {
  const errors = fields.length > maxSelectableFields ? [tooManyField(path, fields.length, maxSelectableFields)] : [];
  const paths = fields.map(({ jsonPath }) => jsonPath);
  for (const [index, jsonPath] of paths.entries()) {
    const at = path.index(index).child('jsonPath');
    if (!jsonPath) errors.push(requiredField(at));
    else errors.push(...checkSelectablePath(at, jsonPath, schema));
    if (paths.indexOf(jsonPath) < index) errors.push(duplicateField(at, jsonPath));
  }
  return errors;
}

const selectableTypes = ['boolean', 'integer', 'string'];

function checkSelectablePath(path: FieldPath, jsonPath: string, schema: JSONSchemaProps | undefined): FieldError[] {
  const errors = checkSimpleJsonPath(path, jsonPath);
  if (errors.length > 0) return errors;
  let found = schema;
  for (const name of jsonPath.split('.').slice(1)) found = ownValue(found?.properties ?? {}, name);
  if (!found) return [invalidField(path, jsonPath, 'is an invalid path: does not refer to a valid field')];
  if (jsonPath.startsWith('.metadata')) return [invalidField(path, jsonPath, 'must not point to fields in metadata')];
  if (selectableTypes.includes(found.type ?? '')) return [];
  const detail = `must point to a field of type boolean, integer, or string. Enum string fields and strings with formats are allowed.`;
  return [invalidField(path, jsonPath, detail)];
}

/** What the root may say when status has an endpoint of its own: more could not be checked on either one alone. */
const rootWords = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];
const wordsOutsideRoot: readonly (keyof JSONSchemaProps)[] = [
  'nullable',
  'default',
  'enum',
  'maxProperties',
  'minProperties',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'additionalProperties',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
];

export function checkVersionSchema(path: FieldPath, schema: JSONSchemaProps, hasStatus: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (hasStatus && wordsOutsideRoot.some((word) => schema[word] !== undefined)) {
    const detail = `only [${rootWords.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
    errors.push(invalidField(path, goValue('apiextensions-v1/JSONSchemaProps', schema), detail));
  }
  return [...errors, ...checkSchema(path, schema)];
}

export function checkConversion(path: FieldPath, conversion: CustomResourceConversion | undefined): FieldError[] {
  if (!conversion) return [];
  const { strategy, webhook } = conversion;
  const errors = checkRequiredSupported(path.child('strategy'), strategy, ['None', 'Webhook']);
  const client = path.child('webhookClientConfig');
  const versions = path.child('conversionReviewVersions');
  if (strategy === 'Webhook') {
    if (webhook?.clientConfig) errors.push(...checkWebhookClient(client, webhook.clientConfig));
    else errors.push(requiredField(client, 'required when strategy is set to Webhook'));
    return [...errors, ...checkReviewVersions(versions, webhook?.conversionReviewVersions ?? [])];
  }
  if (webhook?.clientConfig) {
    errors.push(invalidField(client, webhook.clientConfig, 'should not be set when strategy is not set to Webhook'));
  }
  if (webhook?.conversionReviewVersions?.length) {
    const detail = 'should not be set when strategy is not set to Webhook';
    errors.push(invalidField(versions, webhook.conversionReviewVersions, detail));
  }
  return errors;
}

const reviewVersions = ['v1', 'v1beta1'];

function checkReviewVersions(path: FieldPath, versions: readonly string[]): FieldError[] {
  if (versions.length === 0) return [requiredField(path)];
  const errors = versions.flatMap((version, index) =>
    versions.indexOf(version) < index
      ? [invalidField(path.index(index), version, 'duplicate version')]
      : checkWord(path.index(index), version),
  );
  if (versions.some((version) => reviewVersions.includes(version))) return errors;
  return [...errors, invalidField(path, versions, `must include at least one of ${reviewVersions.join(', ')}`)];
}
