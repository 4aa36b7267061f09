import {
  type Correlation,
  checkListKeys,
  correlate,
  ExpressionRules,
  type KindRules,
  validatePart,
  validateValue,
} from '@coracle/api';
import {
  type FieldError,
  FieldPath,
  finalizerDomainProblems,
  formatFieldError,
  invalidField,
  type KubeObject,
} from '@coracle/apimachinery';
import { setDefaultValues } from './default-values.js';
import { validateEmbedded } from './embedded-resources.js';
import { type ScalePaths, validateScale, validateStatusScale } from './scale-fields.js';
import type { JsonSchema } from './structural-schema.js';

/** Defaults and validation of a custom kind, from its schema. */
export function customRules(schema: JsonSchema, scale?: ScalePaths): KindRules<KubeObject> {
  let expressions: ExpressionRules | undefined;
  const own = withoutMetadata(schema);
  /** What rules said of values that an update left as they were. */
  const warnings = new WeakMap<KubeObject, readonly string[]>();
  const checkRules = (history: Correlation, object: KubeObject, errors: FieldError[]): FieldError[] => {
    expressions ??= new ExpressionRules(schema);
    if (expressions.isEmpty) return errors;
    if (errors.some(({ type }) => blocking.has(type))) return [...errors, notChecked];
    const found = expressions.validate(history);
    warnings.set(object, found.warnings.slice(0, mostErrors).map(formatFieldError));
    return [...errors, ...found.errors.slice(0, mostErrors)];
  };
  const validate = (object: KubeObject, previous?: KubeObject): FieldError[] => {
    const history = correlate(object, previous);
    return checkRules(history, object, [
      ...validateValue(object, own, FieldPath.of(), history),
      ...(scale ? validateScale(object, scale) : []),
      ...validateEmbedded(object, own, FieldPath.of()),
      ...listKeyErrors(object, previous, own),
    ]);
  };
  // What else is in the object is not looked at again, but by expressions.
  const validateStatus = (object: KubeObject, previous: KubeObject): FieldError[] => {
    const history = correlate(object, previous);
    return checkRules(history, object, [
      ...statusErrors(object, own, history),
      ...(scale ? validateStatusScale(object, scale) : []),
      ...listKeyErrors(object, previous, own),
    ]);
  };
  return {
    anyFinalizer: true,
    setDefaults: (object) => setDefaultValues(object, own, 'drop'),
    setDefaultsOfApplied: (object) => setDefaultValues(object, own, 'keep'),
    validate: (object) => validate(object),
    validateUpdate: validate,
    validateStatusUpdate: validateStatus,
    warnings: finalizerWarnings,
    ratchetingWarnings: (object) => warnings.get(object) ?? [],
  };
}

function statusErrors(object: KubeObject, { properties }: JsonSchema, history: Correlation): FieldError[] {
  const { status } = object as { readonly status?: unknown };
  const schema = properties?.['status'];
  if (status === undefined || !schema) return [];
  return validatePart(status, schema, FieldPath.of('status'), history.field('status'));
}

/** Of a rule that every element of a long list breaks. */
const mostErrors = 500;

/** Custom resources may have finalizers without a domain, as they always could. */
function finalizerWarnings({ metadata }: KubeObject): string[] {
  const plain = (metadata.finalizers ?? []).filter((name) => finalizerDomainProblems(name).length > 0);
  const advice = 'prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers';
  return plain.map((name) => `metadata.finalizers: ${JSON.stringify(name)}: ${advice}`);
}

/** Lists that had doubles before may go on to have them. */
function listKeyErrors(object: KubeObject, previous: KubeObject | undefined, schema: JsonSchema): FieldError[] {
  if (previous && checkListKeys(previous, schema, FieldPath.of()).length > 0) return [];
  return checkListKeys(object, schema, FieldPath.of());
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

/** Metadata has its own rules, except for the name, which a schema may restrict. */
function withoutMetadata(schema: JsonSchema): JsonSchema {
  const { metadata, apiVersion: _, kind: __, ...properties } = schema.properties ?? {};
  const names = metadata?.properties && { metadata: { properties: metadata.properties } };
  return { ...schema, properties: { ...properties, ...names } };
}
