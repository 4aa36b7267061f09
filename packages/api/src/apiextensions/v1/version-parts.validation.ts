import {
  duplicateField,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
  tooManyField,
} from '@coracle/apimachinery';
import type {
  CustomResourceColumnDefinition,
  CustomResourceConversion,
  CustomResourceSubresources,
  JSONSchemaProps,
  SelectableField,
} from '../../generated/types/apiextensions-v1.js';
import { checkRequiredSupported } from '../../validation/field-checks.js';
import { checkWebhookClient } from '../../validation/webhook-client.js';
import { checkWord } from './names.validation.js';
import { resolveFieldPath } from './schema-field-path.js';
import { checkJsonPath } from './simple-json-path.js';

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
    // Upstream calls it by the name it had before v1.
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

/** Selectable fields: scalar values that the schema defines. */
export function checkSelectableFields(
  path: FieldPath,
  fields: readonly SelectableField[],
  schema: JSONSchemaProps | undefined,
): FieldError[] {
  if (!schema && fields.length > 0) {
    const detail = 'may only be set when `version.schema.openAPIV3Schema` is not included';
    return [invalidField(path, '', detail)];
  }
  const paths = new Set<string>();
  const errors = fields.flatMap(({ jsonPath }, index) => {
    const at = path.index(index).child('jsonPath');
    if (!jsonPath) return [requiredField(at)];
    const found = resolveFieldPath(jsonPath, schema ?? {}, { brackets: false });
    if (typeof found === 'string') return [invalidField(at, jsonPath, `is an invalid path: ${found}`)];
    const repeated = paths.has(jsonPath) ? [duplicateField(at, jsonPath)] : [];
    paths.add(jsonPath);
    return [...checkSelectable(at, jsonPath, found.schema), ...repeated];
  });
  return paths.size > maxSelectableFields ? [...errors, tooManyField(path, paths.size, maxSelectableFields)] : errors;
}

const selectableTypes = ['string', 'boolean', 'integer'];

function checkSelectable(path: FieldPath, jsonPath: string, { type = '' }: JSONSchemaProps): FieldError[] {
  const errors: FieldError[] = [];
  if (jsonPath.split('.')[1] === 'metadata') {
    errors.push(invalidField(path, jsonPath, 'must not point to fields in metadata'));
  }
  if (selectableTypes.includes(type)) return errors;
  const detail =
    'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
  return [...errors, invalidField(path, jsonPath, detail)];
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
  const detail = 'should not be set when strategy is not set to Webhook';
  if (webhook?.clientConfig) errors.push(forbiddenField(client, detail));
  if (webhook?.conversionReviewVersions?.length) errors.push(forbiddenField(versions, detail));
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
