import {
  type FieldError,
  type FieldPath,
  invalidField,
  isDns1035Label,
  type ObjectMeta,
  requiredField,
  validateObjectMeta,
  validatePathSegmentName,
} from '@coracle/apimachinery';
import { isRecord, ownValue } from '@coracle/base';
import type { JsonSchema } from './structural-schema.js';

/** What is wrong with whole objects inside of a custom one, which have a kind and metadata of their own. */
export function validateEmbedded(value: unknown, schema: JsonSchema, path: FieldPath): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items || Array.isArray(items)) return [];
    return value.flatMap((item, index) => validateEmbedded(item, items, path.index(index)));
  }
  if (!isRecord(value)) return [];
  const { properties = {}, additionalProperties } = schema;
  const own = schema['x-kubernetes-embedded-resource'] ? validateResource(value, path) : [];
  const below = Object.entries(value).flatMap(([name, field]) => {
    const property = ownValue(properties, name);
    if (property) return validateEmbedded(field, property, path.child(name));
    return isRecord(additionalProperties) ? validateEmbedded(field, additionalProperties, path.key(name)) : [];
  });
  return [...own, ...below];
}

function validateResource(object: Readonly<Record<string, unknown>>, path: FieldPath): FieldError[] {
  const meta = object['metadata'];
  return [
    ...checkWord(object['apiVersion'], path.child('apiVersion'), apiVersionProblem),
    ...checkWord(object['kind'], path.child('kind'), kindProblem),
    ...(isRecord(meta) ? checkMeta(meta, path.child('metadata')) : []),
  ];
}

function checkWord(value: unknown, path: FieldPath, problem: (text: string) => string | undefined): FieldError[] {
  if (value === undefined) return [requiredField(path)];
  if (typeof value !== 'string') return [];
  const wrong = value === '' ? 'must not be empty' : problem(value);
  return wrong === undefined ? [] : [invalidField(path, value, wrong)];
}

function apiVersionProblem(text: string): string | undefined {
  return text.split('/').length > 2 ? `unexpected GroupVersion string: ${text}` : undefined;
}

function kindProblem(text: string): string | undefined {
  const problems = isDns1035Label(text.toLowerCase());
  return problems.length > 0 ? `may have mixed case, but should otherwise match: ${problems.join(',')}` : undefined;
}

/** Without a name it is a template, which need not have one. */
function checkMeta(meta: ObjectMeta, path: FieldPath): FieldError[] {
  const named = meta.name || meta.generateName ? meta : { ...meta, name: 'fakename' };
  const namespaced = Boolean(meta.namespace);
  return validateObjectMeta(named, { namespaced, validateName: validatePathSegmentName, path, anyFinalizer: true });
}
