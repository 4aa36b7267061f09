import { type FieldError, type FieldPath, forbiddenField, formatFieldError, invalidField } from '@coracle/apimachinery';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import { RuleCosts } from './rule-costs.js';
import { checkDefaults } from './schema-defaults.validation.js';
import { printedSchema, wordsOf } from './schema-form.js';
import { checkSchemaNode } from './schema-node.validation.js';
import { checkStructure, structureProblem } from './structural-schema.validation.js';

/**
 * The keywords that the root may have if there is a status subresource: others could not be validated for spec or
 * status alone.
 */
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

/**
 * The schema of a version. Its structure is validated first, then its defaults, then each keyword; expressions are
 * compiled only if all of that is valid, because only then the types of fields are known.
 */
export function checkVersionSchema(
  path: FieldPath,
  schema: JSONSchemaProps,
  { hasStatus, isUnchanged }: { readonly hasStatus: boolean; readonly isUnchanged: boolean },
): FieldError[] {
  const errors = hasStatus ? checkRootWords(path, schema) : [];
  if (schema.nullable) errors.push(forbiddenField(path.child('nullable'), 'nullable cannot be true at the root'));
  const unreadable = structureProblem(schema);
  const structural = unreadable === undefined ? sorted(checkStructure(path, schema)) : [];
  const defaults = unreadable === undefined && structural.length === 0 ? checkDefaults(path, schema) : [];
  const isSound = unreadable === undefined && structural.length === 0 && defaults.length === 0;
  const costs = new RuleCosts(!isUnchanged);
  const { words, rules } = checkSchemaNode(path, schema, { isRoot: true, compiles: isSound, cardinality: 1, costs });
  errors.push(...structural, ...defaults, ...words, ...rules, ...costs.checkTotal(path));
  return errors.length === 0 && unreadable !== undefined ? [invalidField(path, '', unreadable)] : errors;
}

function checkRootWords(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  const { type = '' } = schema;
  for (const word of wordsOf(schema)) {
    if (word === 'Type' && type !== 'object') {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalidField(path.child('type'), type, detail)];
    }
    if (!rootWords.includes(word)) {
      const detail = `only [${rootWords.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
      return [invalidField(path, printedSchema(schema), detail)];
    }
  }
  return [];
}

function sorted(errors: readonly FieldError[]): FieldError[] {
  const text = new Map(errors.map((error) => [error, formatFieldError(error)]));
  return [...errors].sort((a, b) => ((text.get(a) ?? '') < (text.get(b) ?? '') ? -1 : 1));
}
