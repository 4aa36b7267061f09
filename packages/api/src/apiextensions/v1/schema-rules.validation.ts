import {
  CelError,
  type CelSelection,
  compileError,
  type FieldError,
  type FieldPath,
  invalidField,
  requiredField,
} from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import type { JSONSchemaProps, ValidationRule } from '../../generated/types/apiextensions-v1.js';
import { celEnvironmentFor, ofExpression } from '../../validation/cel-expression.js';
import { checkSupported } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';
import { resolveFieldPath } from './schema-field-path.js';
import type { NodePlace } from './schema-parts.js';

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const lineBreak = /[\n\r]/;

/** What a rule says beside its expressions. */
export function checkRuleWords(path: FieldPath, rule: ValidationRule, schema: JSONSchemaProps): FieldError[] {
  const { messageExpression = '', reason, fieldPath = '' } = rule;
  const errors = checkRuleAndMessage(path, rule);
  if (messageExpression !== '' && messageExpression.trim() === '') {
    const detail = 'messageExpression must be non-empty if specified';
    errors.push(requiredField(path.child('messageExpression'), detail));
  }
  if (reason !== undefined) errors.push(...checkSupported(path.child('reason'), reason, reasons));
  if (fieldPath === '') return errors;
  const refuse = (detail: string) => errors.push(invalidField(path.child('fieldPath'), fieldPath, detail));
  if (fieldPath.trim() === '') refuse('fieldPath must be non-empty if specified');
  if (lineBreak.test(fieldPath)) refuse('fieldPath must not contain line breaks');
  if (typeof resolveFieldPath(fieldPath, schema) === 'string') refuse('fieldPath must be a valid path');
  return errors;
}

function checkRuleAndMessage(path: FieldPath, { rule, message = '' }: ValidationRule): FieldError[] {
  const field = path.child('message');
  const text = message.trim();
  if (rule.trim() === '') return [requiredField(path.child('rule'), 'rule is not specified')];
  if (message !== '' && text === '') return [invalidField(field, message, 'message must be non-empty if specified')];
  if (lineBreak.test(text)) return [invalidField(field, message, 'message must not contain line breaks')];
  if (!lineBreak.test(rule.trim()) || text !== '') return [];
  return [requiredField(field, 'message must be specified if rule contains line breaks')];
}

export function compileRules(path: FieldPath, schema: JSONSchemaProps, place: NodePlace): FieldError[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((rule, index) =>
    compileRule(path.index(index), rule, { schema, place }),
  );
}

interface Scope {
  readonly schema: JSONSchemaProps;
  readonly place: NodePlace;
}

function compileRule(path: FieldPath, rule: ValidationRule, scope: Scope): FieldError[] {
  const shown = goValue('apiextensions-v1/ValidationRule', rule);
  const errors: FieldError[] = [];
  const problem = compile(rule.rule, scope, {
    failed: 'compilation failed: ',
    type: 'bool',
    wrongType: 'cel expression must evaluate to a bool',
  });
  if (problem !== undefined) {
    errors.push(...ofExpression(rule.rule, [invalidField(path.child('rule'), shown, problem)]));
  } else if (rule.messageExpression) {
    const { messageExpression } = rule;
    const message = compileMessage(messageExpression, scope);
    if (message !== undefined) {
      errors.push(...ofExpression(messageExpression, [invalidField(path.child('messageExpression'), shown, message)]));
    }
  }
  return [...errors, ...checkOldSelf(path, rule, scope.place)];
}

function compileMessage(expression: string, scope: Scope): string | undefined {
  return compile(expression, scope, {
    failed: 'messageExpression compilation failed: ',
    type: 'string',
    wrongType: 'messageExpression must evaluate to a string',
  });
}

function checkOldSelf(path: FieldPath, { rule, optionalOldSelf }: ValidationRule, place: NodePlace): FieldError[] {
  if (!/\boldSelf\b/.test(rule)) {
    if (optionalOldSelf === undefined) return [];
    const detail = 'may not be set if oldSelf is not used in rule';
    return [invalidField(path.child('optionalOldSelf'), optionalOldSelf, detail)];
  }
  if (!place.uncorrelatable) return [];
  const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`;
  return [invalidField(path.child('rule'), rule, detail)];
}

interface Wanted {
  readonly failed: string;
  readonly type: string;
  readonly wrongType: string;
}

/** What is wrong with an expression, in words; `undefined` if nothing is. */
function compile(expression: string, { schema, place }: Scope, wanted: Wanted): string | undefined {
  try {
    const program = celEnvironmentFor(['self', 'oldSelf']).compile(expression);
    const unknown = program.selections.map((one) => unknownField(one, schema, place)).find((one) => one !== undefined);
    if (unknown) throw compileError(expression, unknown);
    return program.type === 'dyn' || program.type === wanted.type ? undefined : wanted.wrongType;
  } catch (error) {
    if (!CelError.is(error)) throw error;
    return `${wanted.failed}${error.message}`;
  }
}

/** The first field of a selection that the schema does not have; none where the schema leaves it open. */
function unknownField({ root, fields }: CelSelection, schema: JSONSchemaProps, { isRoot }: NodePlace) {
  if (root !== 'self' && root !== 'oldSelf') return undefined;
  let level: JSONSchemaProps | undefined = isRoot ? withObjectFields(schema) : schema;
  for (const { name, offset } of fields) {
    if (level?.type !== 'object' || level['x-kubernetes-int-or-string'] || level.additionalProperties) return undefined;
    if (level['x-kubernetes-embedded-resource']) level = withObjectFields(level);
    const field: JSONSchemaProps | undefined = ownValue(level.properties ?? {}, unescaped(name));
    if (!field) return { message: `undefined field '${name}'`, range: { start: offset } };
    level = field;
  }
  return undefined;
}

/** What every object has is there whether or not the schema says so. */
function withObjectFields(schema: JSONSchemaProps): JSONSchemaProps {
  const text: JSONSchemaProps = { type: 'string' };
  const names: JSONSchemaProps = { type: 'object', properties: { name: text, generateName: text } };
  const properties = { ...schema.properties, apiVersion: text, kind: text, metadata: names };
  return { ...schema, properties };
}

const escapes: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' };

/** Names that are no identifiers are written with escapes: `x__dot__y`, `__namespace__`. */
function unescaped(name: string): string {
  return name.replace(/__([a-z]+)__/g, (_, word: string) => ownValue(escapes, word) ?? word);
}
